import { firstVerifiedAt } from './0001-first-verified-at';
import type { Migration } from './migration';

/** Every migration, in the order in which they run: that of their names. A test compares them with the folder. */
export const MIGRATIONS: readonly Migration[] = [firstVerifiedAt];
