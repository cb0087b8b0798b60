import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isBuilt, recordBuild, SERVICE } from './build-record';

describe('the record of a build', () => {
  let root: string;
  const write = (file: string, text: string) => {
    writeFileSync(join(root, file), text);
  };

  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), 'messaging-gateway-build-'));
    mkdirSync(join(root, 'src', 'auth'), { recursive: true });
    mkdirSync(join(root, 'dist'));
    write('src/main.ts', 'start();');
    write('src/auth/guard.ts', 'guard();');
    write('package.json', '{}');
    expect(isBuilt(root, SERVICE)).toBe(false);
    await build();
  });
  afterEach(() => {
    rmSync(root, { recursive: true });
  });

  const build = () =>
    recordBuild(root, SERVICE, () => {
      write('dist/main.js', 'start();');
      write('dist/.tsbuildinfo', '{}');
      return Promise.resolve(true);
    });

  it('knows a build of the same sources again, whatever their times', () => {
    utimesSync(join(root, 'src', 'main.ts'), 0, 0);
    write('src/main.spec.ts', 'a test');
    expect(isBuilt(root, SERVICE)).toBe(true);
  });

  it.each([
    [
      'a source is changed',
      () => {
        write('src/auth/guard.ts', 'other();');
      },
    ],
    [
      'a source is new',
      () => {
        write('src/new.ts', '');
      },
    ],
    [
      'a source is gone',
      () => {
        rmSync(join(root, 'src', 'main.ts'));
      },
    ],
    [
      'a source has another name',
      () => {
        write('src/maim.ts', 'start();');
        rmSync(join(root, 'src', 'main.ts'));
      },
    ],
    [
      'package.json is changed',
      () => {
        write('package.json', '{"version": "2"}');
      },
    ],
    [
      'tsconfig.json is new',
      () => {
        write('tsconfig.json', '{}');
      },
    ],
    [
      'dist is gone',
      () => {
        rmSync(join(root, 'dist'), { recursive: true });
      },
    ],
    [
      'a file of dist is gone',
      () => {
        rmSync(join(root, 'dist', 'main.js'));
      },
    ],
    [
      'another build has written dist',
      () => {
        utimesSync(join(root, 'dist', 'main.js'), 1, 1);
      },
    ],
    [
      'the record was cut off',
      () => {
        write('dist/.build-record.json', '{"sources": "');
      },
    ],
  ])('knows that %s', (_, change) => {
    change();
    expect(isBuilt(root, SERVICE)).toBe(false);
  });

  it('is not there after a build that failed or was killed', async () => {
    write('src/main.ts', 'wrong(');
    expect(await recordBuild(root, SERVICE, () => Promise.resolve(false))).toBe(false);
    expect(isBuilt(root, SERVICE)).toBe(false);
    write('src/main.ts', 'start();');
    expect(isBuilt(root, SERVICE)).toBe(false);
    await expect(recordBuild(root, SERVICE, () => Promise.reject(new Error('killed')))).rejects.toThrow(
      'killed',
    );
    expect(isBuilt(root, SERVICE)).toBe(false);
    await build();
    expect(isBuilt(root, SERVICE)).toBe(true);
  });

  it('lets the compiler trust its notes only where dist is as it left it', async () => {
    const notesDuring = async () => {
      let notes: string[] = [];
      await recordBuild(root, SERVICE, () => {
        notes = readdirSync(join(root, 'dist')).filter((name) => name === '.tsbuildinfo');
        return Promise.resolve(true);
      });
      return notes;
    };
    write('src/main.ts', 'changed();');
    expect(await notesDuring()).toEqual(['.tsbuildinfo']);
    rmSync(join(root, 'dist', 'main.js'));
    expect(await notesDuring()).toEqual([]);
  });
});
