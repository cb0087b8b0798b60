import { join } from 'node:path';
import { DIST } from '../test/chaos/service-process';

/** A build of the service that is measured. */
export interface Build {
  /** The folder of its checkout, or `this`. */
  readonly build: string;
  readonly dist: string;
}

/** The builds to measure in turns: another checkout, if there is one to compare with, and this one. */
export function buildsOf(against: string | undefined): readonly Build[] {
  const current = { build: 'this', dist: DIST };
  return against === undefined ? [current] : [{ build: against, dist: join(against, 'dist') }, current];
}
