import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ROOT } from '../support/checkout';
import { runProgram } from '../support/program';

interface PackageJson {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

/** The configuration of `nest new`, restricted to the packages of the folder. */
const TSCONFIG = {
  compilerOptions: {
    module: 'nodenext',
    moduleResolution: 'nodenext',
    target: 'ES2023',
    types: ['node'],
    strict: true,
    noUncheckedIndexedAccess: true,
    experimentalDecorators: true,
    emitDecoratorMetadata: true,
    skipLibCheck: true,
    rootDir: 'src',
    outDir: 'dist',
  },
  include: ['src'],
};

/** A Nest application in a temporary folder with only this package, packed and installed, and its dependencies. */
export class EmptyApplication {
  private constructor(readonly folder: string) {}

  /** @param platforms additional Nest platforms. Requires a build of the service. */
  static async create(platforms: readonly string[]): Promise<EmptyApplication> {
    const application = new EmptyApplication(mkdtempSync(join(tmpdir(), 'messaging-gateway-library-')));
    await application.install(platforms);
    return application;
  }

  write(file: string, text: string): void {
    writeFileSync(join(this.folder, 'src', file), text);
  }

  /** Type-checks and compiles `src` into `dist`. @returns the compiler errors. */
  compile(): string {
    const tsc = join(ROOT, 'node_modules', '.bin', 'tsc');
    return spawnSync(tsc, ['-p', '.'], { cwd: this.folder, encoding: 'utf8' }).stdout;
  }

  /** The paths of the packed files. */
  packedFiles(): string[] {
    const root = join(this.folder, 'node_modules', 'messaging-gateway');
    return readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(root.length + 1))
      .sort();
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }

  /** Extracts the tarball like npm, and links its dependencies to the installed packages. */
  private async install(platforms: readonly string[]): Promise<void> {
    const { dependencies, peerDependencies } = JSON.parse(
      readFileSync(join(ROOT, 'package.json'), 'utf8'),
    ) as PackageJson;
    const packages = join(this.folder, 'node_modules');
    const target = join(packages, 'messaging-gateway');
    mkdirSync(target, { recursive: true });
    mkdirSync(join(this.folder, 'src'));
    const pack = ['pack', '--ignore-scripts', '--silent', '--pack-destination', this.folder];
    const { code, output, error } = await runProgram('npm', pack, { directory: ROOT });
    if (code !== 0) throw new Error(`npm pack: ${error}`);
    const tarball = join(this.folder, output.trim());
    const tar = await runProgram('tar', ['-xzf', tarball, '-C', target, '--strip-components=1']);
    if (tar.code !== 0) throw new Error(`tar: ${tar.error}`);
    for (const name of Object.keys({ ...dependencies, ...peerDependencies })) this.link(name);
    for (const name of ['@types/node', ...platforms]) this.link(name);
    writeFileSync(join(this.folder, 'package.json'), JSON.stringify({ name: 'dashboard', private: true }));
    writeFileSync(join(this.folder, 'tsconfig.json'), JSON.stringify(TSCONFIG));
  }

  private link(name: string): void {
    const link = join(this.folder, 'node_modules', name);
    if (existsSync(link)) return;
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), link);
  }
}
