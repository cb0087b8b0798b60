import { Types } from 'mongoose';
import { FieldErrors } from '../../common/errors';
import { INVALID_ID, parseId } from '../../common/http/requests/id.pipe';
import type { Pool } from '../../devices/sims/pools/pool.schema';

export const MAX_SIMS_PER_POOL = 100;
export const MAX_PREFIXES = 250;
/** So that the list of an account's pools stays below 3 MB. */
export const MAX_IDS_OF_COUNTRIES = 1_000;

const PREFIX = /^\+[1-9]\d{0,6}$/;

/** What the owner of a pool sets of it, as given. */
export interface PoolSimsInput {
  readonly sims: readonly unknown[];
  readonly countries?: Readonly<Record<string, unknown>>;
}

/**
 * @param isKnown whether the account has the SIM; called with ids of SIMs only.
 * @throws ValidationFailed with the errors by field, such as `sims.2`.
 */
export function readPoolSims(
  { sims, countries = {} }: PoolSimsInput,
  isKnown: (id: Types.ObjectId) => boolean,
): Pick<Pool, 'sims' | 'countries'> {
  const errors = new FieldErrors();
  const readList = (
    field: string,
    list: readonly unknown[],
    check: (id: Types.ObjectId) => string | undefined,
  ) => {
    const read = new Map<string, number>();
    for (const [index, value] of list.entries()) {
      const id = typeof value === 'string' ? parseId(value) : null;
      const place = `${field}.${index}`;
      const earlier = id && read.get(id.toHexString());
      const problem = id ? check(id) : INVALID_ID;
      if (problem !== undefined) errors.add(place, problem);
      else if (typeof earlier === 'number') errors.add(place, `is the same as ${field}.${earlier}`);
      else if (id) read.set(id.toHexString(), index);
    }
    return [...read.keys()].map((id) => new Types.ObjectId(id));
  };

  const read = readList('sims', sims, (id) => (isKnown(id) ? undefined : 'is not a SIM of the account'));
  const isInPool = (id: Types.ObjectId) => read.some((sim) => sim.equals(id));
  const rules: Record<string, Types.ObjectId[]> = {};
  for (const [prefix, list] of Object.entries(countries)) {
    const field = `countries.${prefix}`;
    if (!PREFIX.test(prefix)) errors.add(field, 'must be a + and 1 to 7 digits, such as +49');
    else if (!Array.isArray(list)) errors.add(field, 'must be a list of SIM ids');
    else rules[prefix] = readList(field, list, (id) => (isInPool(id) ? undefined : 'is not in sims'));
  }
  const count = Object.values(rules).flat().length;
  if (count > MAX_IDS_OF_COUNTRIES)
    errors.add('countries', `must not have more than ${MAX_IDS_OF_COUNTRIES} SIM ids`);
  errors.throwIfAny();
  return { sims: read, ...(Object.keys(rules).length > 0 && { countries: rules }) };
}
