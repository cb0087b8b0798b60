import type { Migration } from './migration';

// The next version drops the indexes of messages that it no longer declares (docs/build/adr/0024): smsBatch_1_wave_1__id_1,
// sim_1_nextDispatchAt_1 and user_1_device_1_fingerprint_1.
/** All migrations since the baseline, in the order of their names. A test compares them with the folder. */
export const MIGRATIONS: readonly Migration[] = [];
