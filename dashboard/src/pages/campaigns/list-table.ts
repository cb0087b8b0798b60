import { unparse } from 'papaparse';
import { MAX_RECIPIENTS } from '../../../../src/gateway/send-input/send-limits';
import { type ContactResponse, listMembers } from '../../../generated';

const PAGE_SIZE = 100;

type Member = Pick<ContactResponse, 'name' | 'numbers' | 'fields'>;

/** The members of a list as a table with a header: their first number, their name, and all fields that one of them has. */
export async function readList(id: string): Promise<string> {
  const members: Member[] = [];
  let cursor: string | null = null;
  do {
    const query: { limit: number; cursor?: string } = {
      limit: PAGE_SIZE,
      ...(cursor !== null && { cursor }),
    };
    const { data } = await listMembers({ path: { id }, query, throwOnError: true });
    members.push(...data.data);
    cursor = data.meta.nextCursor;
    // One more, so that the table is refused as too long.
  } while (cursor !== null && members.length <= MAX_RECIPIENTS);
  return toTable(members);
}

export function toTable(members: readonly Member[]): string {
  const given = new Set(['number', 'name']);
  const names = [...new Set(members.flatMap(({ fields }) => Object.keys(fields)))].filter(
    (name) => !given.has(name.toLowerCase()),
  );
  const rows = members.map(({ name, numbers, fields }) => [
    // In one spelling, which every column of numbers has.
    numbers[0]?.peerNumber ?? '',
    name,
    ...names.map((field) => fields[field] ?? ''),
  ]);
  return unparse([['number', 'name', ...names], ...rows]);
}
