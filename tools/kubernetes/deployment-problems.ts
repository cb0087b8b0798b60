import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { ISecret } from 'kubernetes-models/v1/Secret';
import { parse } from 'yaml';
import { type Kustomized, listKustomizations, readKustomization, readManifests } from './kustomization';
import { referenceProblems } from './reference-problems';
import { schemaProblems } from './schema-problems';
import { type Expectations, settingsProblems } from './settings-problems';

const EXAMPLE = '.example.yaml';

/**
 * Checks the manifests for Kubernetes, without a cluster and without kustomize.
 * @param root the folder with all kustomizations.
 * @param composeFile the Compose file, whose processes get the same time to stop.
 * @returns the problems, one line each.
 */
export function deploymentProblems(root: string, composeFile: string): string[] {
  const folders = listKustomizations(root);
  if (folders.length === 0) throw new Error(`There is no kustomization in ${root}`);
  const kustomizations = folders.map((folder) => readKustomization(folder));
  const expectations = readExpectations(root, composeFile);
  const problems = [
    ...unusedFiles(root, kustomizations),
    ...kustomizations.flatMap((each) => [
      ...each.problems,
      ...each.manifests.flatMap((manifest) =>
        schemaProblems(manifest).map((problem) => `${manifest.kind} ${manifest.metadata.name}: ${problem}`),
      ),
      ...referenceProblems(each),
      ...settingsProblems(each, expectations),
    ]),
  ];
  return [...new Set(problems)];
}

const listFiles = (root: string): string[] =>
  readdirSync(root, { recursive: true, encoding: 'utf8', withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));

function readExpectations(root: string, composeFile: string): Expectations {
  const [secret] = listFiles(root)
    .filter((file) => file.endsWith(EXAMPLE))
    .flatMap(readManifests);
  if (secret?.kind !== 'Secret') throw new Error(`There is no example of the Secret in ${root}`);
  const compose = parse(readFileSync(composeFile, 'utf8'), { merge: true }) as {
    readonly services: { readonly api: { readonly stop_grace_period: string } };
  };
  return {
    secret: secret as ISecret,
    stopSeconds: Number.parseInt(compose.services.api.stop_grace_period, 10),
  };
}

function unusedFiles(root: string, kustomizations: readonly Kustomized[]): string[] {
  const used = new Set(kustomizations.flatMap(({ files }) => files));
  return listFiles(root)
    .filter((file) => !used.has(file) && !file.endsWith(EXAMPLE))
    .map((file) => `${relative(root, file)} is in no kustomization`);
}
