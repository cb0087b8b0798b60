import type { Types } from 'mongoose';

export const HINT_KINDS = [
  'message',
  'conversation',
  'batch',
  'device',
  'sim',
  'pool',
  'webhook',
  'delivery',
  'contact',
  'list',
] as const;

export type HintKind = (typeof HINT_KINDS)[number];

/** More ids than these become `all`. */
export const MAX_HINT_IDS = 50;

/** The ids of what may have changed; with `all`, anything of the kind. */
export interface Hint {
  readonly ids: readonly string[];
  readonly all?: true;
}

export type Hints = Readonly<Partial<Record<HintKind, Hint>>>;

export const ALL: Hint = { ids: [], all: true };

/** @param ids absent if they are not known. */
export function hintOf(ids: readonly Types.ObjectId[] | undefined): Hint {
  return ids && ids.length <= MAX_HINT_IDS ? { ids: ids.map(String) } : ALL;
}

export function mergeHints(one: Hint | undefined, other: Hint): Hint {
  if (!one) return other;
  if (one.all || other.all) return ALL;
  const ids = new Set([...one.ids, ...other.ids]);
  return ids.size > MAX_HINT_IDS ? ALL : { ids: [...ids] };
}
