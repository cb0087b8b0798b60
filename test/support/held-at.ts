import type { Type } from '@nestjs/common';
import type { TestService } from './service';

/** A step of some work that waits until the test lets it go on. */
export interface HeldStep {
  /** Resolves when the work has come to the step. */
  readonly reached: Promise<void>;
  /** Lets the step be done. @param dies the process dies right after it: nothing that follows is done. */
  release(dies: boolean): void;
}

/** Holds the next call of a method before it is made. */
export function heldAt<T extends object>(service: TestService, type: Type<T>, method: keyof T): HeldStep {
  const steps = service.get(type) as Record<keyof T, (...args: unknown[]) => Promise<unknown>>;
  const step = steps[method];
  let release: HeldStep['release'] = () => undefined;
  const released = new Promise<boolean>((resolve) => (release = resolve));
  const reached = new Promise<void>((resolve) => {
    steps[method] = async (...args) => {
      steps[method] = step;
      resolve();
      const dies = await released;
      const result = await step.apply(steps, args);
      if (dies) throw new Error('killed');
      return result;
    };
  });
  return { reached, release };
}
