import type { Type } from '@nestjs/common';
import type { TestService } from './service';

/** A step at which a process can die. */
export type Step = (service: TestService, when: 'before' | 'after') => void;

/** Makes one call of a method fail, as if the process died at it: before it is done, or right after. */
export function killedAt<T extends object>(type: Type<T>, method: keyof T): Step {
  return (service, when) => {
    const steps = service.get(type) as Record<keyof T, (...args: unknown[]) => Promise<unknown>>;
    const step = steps[method];
    steps[method] = async (...args) => {
      steps[method] = step;
      if (when === 'after') await step.apply(steps, args);
      throw new Error('killed');
    };
  };
}
