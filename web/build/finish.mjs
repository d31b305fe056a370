// Finishes the site that Vite made in the folder given: holds its budget, puts a smaller form beside each file that has one, and lists the files for the server.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';

/** What a first visit may load, compressed. */
const MAX_FIRST_LOAD_BYTES = 250 * 1000;

const site = process.argv[2];

function filesIn(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap(each =>
    each.isDirectory() ? filesIn(join(folder, each.name)) : [join(folder, each.name)]);
}

/** The licences of all that is bundled, which ask to be passed on. */
function licences() {
  const found = new Map();
  const look = name => {
    const folder = join('node_modules', name);
    const { version, license, dependencies = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    if (found.has(name) || name.startsWith('@types/')) {
      return;
    }
    const file = readdirSync(folder).find(each => /^licen[cs]e/i.test(each));
    found.set(name, `${name} ${version} (${license})\n\n${file === undefined ? '' : readFileSync(join(folder, file), 'utf8').trim()}\n`);
    Object.keys(dependencies).forEach(look);
  };
  Object.keys(JSON.parse(readFileSync('package.json', 'utf8')).dependencies).forEach(look);
  return [...found.keys()].sort().map(name => found.get(name)).join(`\n${'-'.repeat(80)}\n\n`);
}

writeFileSync(join(site, 'licenses.txt'), licences());
const packed = new Map();
for (const file of filesIn(site).sort()) {
  const plain = readFileSync(file);
  const zipped = gzipSync(plain, { level: 9 });
  const isSmaller = zipped.length < plain.length * 0.9;
  if (isSmaller) {
    writeFileSync(`${file}.gz`, zipped);
  }
  packed.set(relative(site, file).replaceAll('\\', '/'), isSmaller ? zipped.length : plain.length);
}

const page = readFileSync(join(site, 'index.html'), 'utf8');
if (/<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=/.test(page)) {
  throw new Error('The page has inline scripts or styles, which the content security policy of the server refuses.');
}
const first = ['index.html', ...[...page.matchAll(/(?:src|href)="\.\/([^"]+)"/g)].map(match => match[1])];
const bytes = first.reduce((sum, name) => sum + packed.get(name), 0);
console.log(`The first load is ${bytes} bytes of at most ${MAX_FIRST_LOAD_BYTES}: ${first.join(', ')}`);
if (!(bytes <= MAX_FIRST_LOAD_BYTES)) {
  throw new Error('The first load is over its budget. Load lazily what a first visit does not show.');
}
writeFileSync(join(site, 'files.txt'), `${[...packed.keys()].join('\n')}\n`);
