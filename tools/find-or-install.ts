import { join } from 'node:path';
import { StackUnavailable } from 'messaging-gateway-local-stack';
import { aptInstall } from 'messaging-gateway-local-stack/apt';
import { homeFrom } from 'messaging-gateway-local-stack/home';
import { withLock } from 'messaging-gateway-local-stack/lock-file';
import { isDebian, isRoot } from 'messaging-gateway-local-stack/platform';
import { Progress } from 'messaging-gateway-local-stack/progress';

export interface InstallableProgram {
  /** Such as `Browser`, for the progress. */
  readonly label: string;
  /** The Debian package. */
  readonly package: string;
  /** What to do where it is missing and cannot be installed. */
  readonly missing: string;
  /** @returns the path of the program; undefined if it is not installed. */
  find(): string | undefined;
}

/**
 * The path of a program that tests need. It is installed on Debian, as root, if it is missing.
 * @throws StackUnavailable
 */
export async function findOrInstall(program: InstallableProgram): Promise<string> {
  const present = program.find();
  if (present !== undefined) return present;
  if (!isDebian() || !isRoot()) throw new StackUnavailable(program.missing);
  const home = homeFrom(process.env);
  const name = program.label.toLowerCase();
  return withLock(
    join(home.path, `${name}.lock`),
    () => undefined,
    async () => {
      const install = () => aptInstall(program.package, join(home.logs, `${name}-install.log`));
      if (program.find() === undefined)
        await new Progress(program.label).step(`${program.package}: installing with apt-get`, install);
      const installed = program.find();
      if (installed === undefined) throw new StackUnavailable(program.missing);
      return installed;
    },
  );
}
