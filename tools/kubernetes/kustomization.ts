import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { parse, parseAllDocuments } from 'yaml';

/** An object of Kubernetes. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

/** What a kustomization applies, before it rewrites names and images. */
export interface Kustomized {
  readonly manifests: Manifest[];
  /** The variables of each generated ConfigMap, by its name. */
  readonly configMaps: Map<string, NodeJS.Dict<string>>;
  /** Names of images that get another name or tag. */
  readonly images: string[];
  /** Names of Deployments that get another number of replicas. */
  readonly replicas: string[];
  /** Files that were read, and those that are missing. */
  readonly files: string[];
  readonly problems: string[];
}

interface Kustomization {
  readonly kind: string;
  readonly resources?: readonly string[];
  readonly components?: readonly string[];
  readonly images?: readonly { readonly name: string }[];
  readonly replicas?: readonly { readonly name: string }[];
  readonly configMapGenerator?: readonly ConfigMapGenerator[];
}

interface ConfigMapGenerator {
  readonly name: string;
  readonly behavior?: string;
  readonly envs?: readonly string[];
  readonly literals?: readonly string[];
}

const FILE_NAME = 'kustomization.yaml';
const CHECKED_FIELDS = [
  'apiVersion',
  'kind',
  'namespace',
  'resources',
  'components',
  'images',
  'replicas',
  'configMapGenerator',
];

/** Folders below `root` that are applied with `kubectl apply -k`. */
export function listKustomizations(root: string): string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => path === FILE_NAME || path.endsWith(`/${FILE_NAME}`))
    .map((path) => join(root, path, '..'))
    .filter((folder) => readFile(folder).kind === 'Kustomization');
}

export const readManifests = (file: string): Manifest[] =>
  parseAllDocuments(readFileSync(file, 'utf8')).map((document) => document.toJS() as Manifest);

const readFile = (folder: string): Kustomization =>
  parse(readFileSync(join(folder, FILE_NAME), 'utf8')) as Kustomization;

/** Reads a kustomization with the bases and components that it names. */
export function readKustomization(folder: string): Kustomized {
  const kustomized: Kustomized = {
    manifests: [],
    configMaps: new Map(),
    images: [],
    replicas: [],
    files: [],
    problems: [],
  };
  addFolder(folder, kustomized);
  return kustomized;
}

function addFolder(folder: string, to: Kustomized): void {
  const kustomization = readFile(folder);
  const { resources = [], components = [], configMapGenerator = [] } = kustomization;
  for (const field of Object.keys(kustomization).filter((name) => !CHECKED_FIELDS.includes(name)))
    to.problems.push(`${join(folder, FILE_NAME)}: ${field} is not checked`);
  to.files.push(join(folder, FILE_NAME));
  for (const name of [...resources, ...components]) addResource(join(folder, name), to);
  to.images.push(...(kustomization.images ?? []).map(({ name }) => name));
  to.replicas.push(...(kustomization.replicas ?? []).map(({ name }) => name));
  for (const generator of configMapGenerator) addConfigMap(folder, generator, to);
}

function addResource(path: string, to: Kustomized): void {
  if (existsSync(join(path, FILE_NAME))) addFolder(path, to);
  else if (requireFile(path, to)) to.manifests.push(...readManifests(path));
}

function addConfigMap(folder: string, generator: ConfigMapGenerator, to: Kustomized): void {
  const { name, behavior = 'create', envs = [], literals = [] } = generator;
  const existing = to.configMaps.get(name);
  if ((behavior === 'create') === (existing !== undefined))
    to.problems.push(`${join(folder, FILE_NAME)}: cannot ${behavior} ConfigMap ${name}`);
  const files = envs.map((file) => join(folder, file)).filter((file) => requireFile(file, to));
  const lines = [...files.map((file) => readFileSync(file, 'utf8')), ...literals];
  to.configMaps.set(name, { ...existing, ...parseEnv(lines.join('\n')) });
}

function requireFile(path: string, to: Kustomized): boolean {
  to.files.push(path);
  const exists = existsSync(path);
  if (!exists) to.problems.push(`${path} does not exist`);
  return exists;
}
