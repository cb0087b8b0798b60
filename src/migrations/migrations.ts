import { firstVerifiedAt } from './0001-first-verified-at';
import { totals } from './0002-totals';
import { contactNumbers } from './0003-contact-numbers';
import { conversations } from './0004-conversations';
import { dayCounts } from './0005-day-counts';
import type { Migration } from './migration';

/** All migrations in the order of their names. A test compares them with the folder. */
export const MIGRATIONS: readonly Migration[] = [
  firstVerifiedAt,
  totals,
  contactNumbers,
  conversations,
  dayCounts,
];
