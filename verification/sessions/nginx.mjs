// An nginx in front of servers, as whoever follows its manual has it. It needs no rights, no port and no folder but one of its own.

import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from './stage.mjs';

const UPGRADE = `
      proxy_http_version 1.1;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection $connection_upgrade;`;

/** What each way to a server has in its `location`. */
const WAYS = {
  usual: UPGRADE,
  bare: '',
  impatient: `${UPGRADE}
      proxy_read_timeout 2s;
      proxy_send_timeout 2s;`,
};

const server = ({ way, to, socket }) => `
  server {
    listen unix:${socket};
    location / {
      proxy_pass ${to};${WAYS[way]}
    }
  }`;

const configuration = (folder, servers) => `
daemon off;
master_process off;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log;
events {}
http {
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(each => `${each}_temp_path ${folder}/${each};`).join('\n  ')}
  map $http_upgrade $connection_upgrade { default upgrade; '' ''; }
  ${servers.map(server).join('')}
}
`;

export class Nginx {
  /**
   * Starts one with several ways.
   *
   * @param ways by name, each `{ way, to }`: one of `usual`, `bare` and `impatient`, and a server's address
   */
  static async start(ways) {
    const nginx = new Nginx();
    nginx.folder = await mkdtemp(join(tmpdir(), 'holdfast-nginx-'));
    const servers = Object.entries(ways).map(([name, each]) => ({ ...each, socket: nginx.socket(name) }));
    await writeFile(join(nginx.folder, 'nginx.conf'), configuration(nginx.folder, servers));
    const own = ['-p', nginx.folder, '-c', join(nginx.folder, 'nginx.conf'), '-e', join(nginx.folder, 'error.log')];
    nginx.process = spawn(process.env.NGINX_PROGRAM, own, { stdio: ['ignore', 'ignore', 'inherit'] });
    let ended;
    nginx.process.once('exit', code => (ended = code));
    for (const { socket } of servers) {
      await until(async () => {
        if (ended !== undefined) {
          throw new Error(`nginx ended with ${ended}: ${await readFile(join(nginx.folder, 'error.log'), 'utf8')}`);
        }
        return answers(socket);
      }, `nginx at ${socket}`);
    }
    return nginx;
  }

  /** Where one of its ways begins. */
  socket = name => join(this.folder, `${name}.sock`);

  async close() {
    const ended = new Promise(resolve => this.process.once('exit', resolve));
    this.process.kill('SIGKILL');
    await ended;
    await rm(this.folder, { recursive: true });
  }
}

const answers = socket =>
  new Promise(resolve => {
    const trial = net.connect(socket);
    trial.once('connect', () => resolve(true));
    trial.once('error', () => resolve(false));
    trial.once('connect', () => trial.destroy());
  });
