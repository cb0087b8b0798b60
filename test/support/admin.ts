import { runAdmin } from '../../src/admin/run-admin';
import { AppModule } from '../../src/app.module';
import type { Environment } from '../../src/config/environment/environment';
import type { ProgramResult } from './program';

/** Runs an admin command in this process, one at a time. @param environment its variables, in addition to PATH and HOME. */
export async function runAdminHere(
  environment: Environment,
  args: readonly string[],
): Promise<ProgramResult> {
  const { env, stdout, stderr } = process;
  const written = { output: '', error: '' };
  const record = (stream: keyof typeof written) => (text: string | Uint8Array) => {
    written[stream] += String(text);
    return true;
  };
  const spies = [
    jest.spyOn(stdout, 'write').mockImplementation(record('output')),
    jest.spyOn(stderr, 'write').mockImplementation(record('error')),
  ];
  process.env = { PATH: env.PATH, HOME: env.HOME, ...environment };
  try {
    return { code: await runAdmin(args, AppModule), ...written };
  } finally {
    process.env = env;
    for (const spy of spies) spy.mockRestore();
  }
}
