// A network for clients that are no programs of Node: node proxy.mjs SERVER WANTED CUTS, with the cuts as JSON. Prints its address, and ends with
// its input.

import { Network } from './network.mjs';

const [server, wanted, cuts] = process.argv.slice(2);
const network = await new Network(server, said => said.includes(wanted), JSON.parse(cuts)).open();
console.log(String(network.url));
process.stdin.resume().on('end', () => process.exit(0));
