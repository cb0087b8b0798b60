import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { type BuildTarget, DASHBOARD, isBuilt, recordBuild, SERVICE } from './build/build-record';
import { Progress } from 'messaging-gateway-local-stack/progress';

const ROOT = join(__dirname, '..');

/** Builds the service and the dashboard if their sources have changed. @returns false if a build failed. */
export async function buildIfChanged(): Promise<boolean> {
  return (await buildService()) && (await buildDashboard());
}

const buildService = () => build('Service', SERVICE, ['exec', 'nest', 'build']);

const buildDashboard = () => build('Dashboard', DASHBOARD, ['run', '--silent', 'build', '-w', 'dashboard']);

async function build(name: string, target: BuildTarget, command: readonly string[]): Promise<boolean> {
  if (isBuilt(ROOT, target)) return true;
  return new Progress(name).step('building', () => recordBuild(ROOT, target, () => npm(command)));
}

function npm(command: readonly string[]): Promise<boolean> {
  // Standard output belongs to the command that requires the build.
  const child = spawn('npm', command, {
    stdio: ['ignore', 2, 2],
    cwd: ROOT,
    shell: process.platform === 'win32',
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => {
      resolve(code === 0);
    });
  });
}

if (require.main === module) {
  // The document of the API comes from the service, and the dashboard from the document.
  const isServiceOnly = process.argv.includes('service');
  (isServiceOnly ? buildService() : buildIfChanged()).then(
    (isDone) => {
      process.exitCode = isDone ? 0 : 1;
    },
    (error: unknown) => {
      console.error(error);
      process.exitCode = 1;
    },
  );
}
