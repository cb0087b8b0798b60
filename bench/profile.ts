import { fileURLToPath } from 'node:url';

/** The fields of a V8 CPU profile that are used here. */
export interface Profile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  }[];
  readonly samples: readonly number[];
  /** Microseconds before each sample. */
  readonly timeDeltas: readonly number[];
}

/** Self time of a function or package, as a share of the busy time. */
export interface SelfTime {
  readonly where: string;
  readonly share: number;
}

export interface ProfileSummary {
  /** The share of the time in which the process was busy. */
  readonly busy: number;
  readonly byPackage: readonly SelfTime[];
  readonly byFunction: readonly SelfTime[];
}

const IDLE = new Set(['(idle)', '(root)']);

/** Sums up the self time of a process by package and function. */
export function summarise({ nodes, samples, timeDeltas }: Profile, max: number): ProfileSummary {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const packages = new Map<string, number>();
  const functions = new Map<string, number>();
  let all = 0;
  let busy = 0;
  for (const [index, id] of samples.entries()) {
    // A delta precedes its sample, so the time of a sample is the next delta.
    const time = timeDeltas[index + 1] ?? 0;
    const frame = frames.get(id);
    if (!frame) continue;
    all += time;
    if (IDLE.has(frame.functionName)) continue;
    busy += time;
    const place = packageOf(frame.url, frame.functionName);
    const name = `${frame.functionName || '(anonymous)'} ${place}${frame.url === '' ? '' : `:${frame.lineNumber + 1}`}`;
    packages.set(place, (packages.get(place) ?? 0) + time);
    functions.set(name, (functions.get(name) ?? 0) + time);
  }
  return {
    busy: busy / all,
    byPackage: top(packages, busy, max),
    byFunction: top(functions, busy, max),
  };
}

function top(times: ReadonlyMap<string, number>, all: number, most: number): SelfTime[] {
  return [...times]
    .map(([where, time]) => ({ where, share: time / all }))
    .sort((one, other) => other.share - one.share)
    .slice(0, most);
}

/** The package of a file, the module of the service, or the part of Node. */
export function packageOf(url: string, functionName = ''): string {
  if (url === '') return functionName.startsWith('(') ? functionName : 'native';
  if (url.startsWith('node:')) return `node:${url.slice('node:'.length).split('/').slice(0, 2).join('/')}`;
  const path = url.startsWith('file:') ? fileURLToPath(url) : url;
  const inPackage = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1];
  if (inPackage !== undefined) return inPackage;
  const own = /\/(?:dist|src)\/([^/]+)/.exec(path)?.[1];
  return own === undefined ? path : `own ${own}`;
}
