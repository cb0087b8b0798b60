import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ROOT } from './checkout';
import { type ProgramResult, runProgram } from './program';
import { RunningProgram } from './running-program';

interface PackageJson {
  readonly bin: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
}

/** The package messaging-gateway-phone, packed and installed in a temporary folder with only its dependencies. */
export class PackedPhone {
  private constructor(
    readonly folder: string,
    private readonly script: string,
  ) {}

  static async install(): Promise<PackedPhone> {
    const folder = mkdtempSync(join(tmpdir(), 'packed-phone-'));
    const packages = join(folder, 'node_modules');
    const target = join(packages, 'messaging-gateway-phone');
    mkdirSync(target, { recursive: true });
    const pack = ['pack', '--silent', '--pack-destination', folder];
    const { code, output, error } = await runProgram('npm', pack, { directory: join(ROOT, 'phone') });
    if (code !== 0) throw new Error(`npm pack: ${output}${error}`);
    const tarball = join(folder, output.trim().split('\n').at(-1) ?? '');
    const tar = await runProgram('tar', ['-xzf', tarball, '-C', target, '--strip-components=1']);
    if (tar.code !== 0) throw new Error(`tar: ${tar.error}`);
    const { bin, dependencies } = JSON.parse(
      readFileSync(join(target, 'package.json'), 'utf8'),
    ) as PackageJson;
    for (const name of Object.keys(dependencies)) {
      mkdirSync(dirname(join(packages, name)), { recursive: true });
      symlinkSync(join(ROOT, 'node_modules', name), join(packages, name));
    }
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'empty', private: true }));
    return new PackedPhone(folder, join(target, bin['messaging-gateway-phone'] ?? ''));
  }

  /** Runs a command until it exits. */
  call(...args: readonly string[]): Promise<ProgramResult> {
    return runProgram(process.execPath, [this.script, ...args], { directory: this.folder });
  }

  /** Runs `run` in the background. */
  run(dir: string): RunningProgram {
    const command = ['exec', process.execPath, this.script, 'run', '--dir', dir].join(' ');
    return RunningProgram.start(command, this.folder, {});
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }
}
