import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { isBuilt, recordBuild } from './build/build-record';
import { Progress } from 'messaging-gateway-local-stack/progress';

const ROOT = join(__dirname, '..');

/** Builds the service if the sources have changed. @returns false if the build failed. */
export async function buildIfChanged(): Promise<boolean> {
  if (isBuilt(ROOT)) return true;
  return new Progress('Service').step('building', () => recordBuild(ROOT, nestBuild));
}

function nestBuild(): Promise<boolean> {
  // Standard output belongs to the command that requires the build.
  const nest = join(ROOT, 'node_modules', '.bin', 'nest');
  const child = spawn(nest, ['build'], { stdio: ['ignore', 2, 2], cwd: ROOT });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => {
      resolve(code === 0);
    });
  });
}

if (require.main === module) {
  buildIfChanged().then(
    (isDone) => {
      process.exitCode = isDone ? 0 : 1;
    },
    (error: unknown) => {
      console.error(error);
      process.exitCode = 1;
    },
  );
}
