import { NonOverlappingJob } from './non-overlapping-job';

/** A method that looks for work in the database at an interval. */
export interface SweepDefinition {
  readonly everyMs: number;
  /** Whether work of this object is due by this time. */
  readonly isDueBefore?: (target: never, time: Date) => Promise<boolean>;
}

const definitions = new WeakMap<object, SweepDefinition>();

/**
 * Has `Sweeps` call a method at an interval, without overlap in this process; see `NonOverlappingJob`. While nothing happens in the
 * installation it is called once a minute.
 * @param isDueBefore for work that becomes due by time alone and cannot wait for a minute.
 */
export const Sweep =
  <Target extends object>(everyMs: number, isDueBefore?: (target: Target, time: Date) => Promise<boolean>) =>
  (target: Target, key: string, descriptor: TypedPropertyDescriptor<() => Promise<void>>): void => {
    const work = descriptor.value;
    if (!work) return;
    const jobs = new WeakMap<object, NonOverlappingJob>();
    descriptor.value = function (this: object) {
      const job = jobs.get(this) ?? new NonOverlappingJob(`${target.constructor.name}.${key}`);
      jobs.set(this, job);
      return job.run(() => work.call(this));
    };
    definitions.set(descriptor.value, { everyMs, isDueBefore });
  };

/** @returns undefined unless the method is a `@Sweep`. */
export const sweepDefinitionOf = (method: object): SweepDefinition | undefined => definitions.get(method);
