/** What of a contact a column of a file holds. */
export type ColumnTarget =
  | { readonly to: 'name' | 'firstName' | 'middleName' | 'lastName' | 'tags' | 'notes' | 'language' }
  | { readonly to: 'number'; readonly label?: string }
  /** The label of the number in the next column of numbers. */
  | { readonly to: 'label' }
  | { readonly to: 'field'; readonly name: string }
  | { readonly to: 'ignore' };

/** A column of a file and what it holds. */
export interface Column {
  /** As in the file; of a file without a header its position, from 1. */
  readonly header: string;
  readonly target: ColumnTarget;
}

const PLAIN_TARGETS = [
  'name',
  'firstName',
  'middleName',
  'lastName',
  'number',
  'label',
  'tags',
  'notes',
  'language',
  'ignore',
] as const;

export const TARGET_RULE = `must be ${PLAIN_TARGETS.join(', ')}, number:Label or field:Name`;

/** The text of a target in requests and responses, such as `number`, `number:Work` or `field:City`. */
export function targetText(target: ColumnTarget): string {
  if (target.to === 'field') return `field:${target.name}`;
  return target.to === 'number' && target.label !== undefined ? `number:${target.label}` : target.to;
}

/** @returns null for a text that is no target. */
export function parseTarget(text: string): ColumnTarget | null {
  const [, kind, detail = ''] = /^(number|field):(.*)$/s.exec(text) ?? [];
  const name = detail.trim();
  if (kind !== undefined && name === '') return null;
  if (kind === 'field') return { to: 'field', name };
  if (kind === 'number') return { to: 'number', label: name };
  const plain = PLAIN_TARGETS.find((target) => target.toLowerCase() === text.trim().toLowerCase());
  return plain === undefined ? null : { to: plain };
}
