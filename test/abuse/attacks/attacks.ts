import type { Attack } from '../attack';
import { hostileBodies } from './hostile-bodies';
import { largeAnswers } from './large-answers';
import { manyConnections } from './many-connections';
import { poisonedUploads } from './poisoned-uploads';
import { runawayPhone } from './runaway-phone';

/** All attacks, in the order of the run. */
export const ATTACKS: readonly Attack[] = [
  hostileBodies,
  poisonedUploads,
  largeAnswers,
  runawayPhone,
  manyConnections,
];
