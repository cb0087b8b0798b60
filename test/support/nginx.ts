import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from 'messaging-gateway-local-stack/ports';
import { findOnPath } from 'messaging-gateway-local-stack/processes';
import { findOrInstall } from '../../tools/find-or-install';
import { eventually } from './eventually';

const PATH = `${process.env.PATH ?? ''}:/usr/sbin`;

const TEMPORARY_PATHS = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];

/** An nginx in front of a service. */
export class Nginx {
  private constructor(
    private readonly process: ChildProcess,
    private readonly folder: string,
    readonly port: number,
  ) {}

  /** @param block the directives of its server, such as `location` blocks. */
  static async start(block: string): Promise<Nginx> {
    const program = await findOrInstall({
      label: 'nginx',
      package: 'nginx-light',
      missing: 'No nginx: put it on the PATH, or run as root on Debian to install it.',
      find: () => findOnPath('nginx', PATH),
    });
    const folder = mkdtempSync(join(tmpdir(), 'nginx-'));
    const port = await freePort();
    const file = join(folder, 'nginx.conf');
    const temporary = TEMPORARY_PATHS.map((name) => `${name}_temp_path ${folder}/${name};`);
    writeFileSync(
      file,
      `daemon off; master_process off; pid ${folder}/pid; error_log stderr; events {}
       http { access_log off; ${temporary.join(' ')} server { listen 127.0.0.1:${port}; ${block} } }`,
    );
    const child = spawn(program, ['-e', 'stderr', '-c', file], { stdio: ['ignore', 'ignore', 'pipe'] });
    let errors = '';
    child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    await eventually(
      async () => {
        if (child.exitCode !== null) throw new Error(`nginx ended: ${errors}`);
        return accepts(port);
      },
      (isListening) => isListening,
    );
    return new Nginx(child, folder, port);
  }

  async stop(): Promise<void> {
    if (this.process.exitCode === null) {
      const ended = once(this.process, 'exit');
      this.process.kill();
      await ended;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const end = (isAccepted: boolean) => {
      socket.destroy();
      resolve(isAccepted);
    };
    socket.once('connect', () => {
      end(true);
    });
    socket.once('error', () => {
      end(false);
    });
  });
}
