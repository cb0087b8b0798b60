import type { Attack } from '../attack';
import { hostileBodies } from './hostile-bodies';

/** Every attack, in the order they are made. */
export const ATTACKS: readonly Attack[] = [hostileBodies];
