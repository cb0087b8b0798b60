import type { Type } from '@nestjs/common';
import type { TestService } from './service';

/** A call at which a process can die. */
export type CrashPoint = (service: TestService, when: 'before' | 'after') => void;

/** Makes the next call of a method throw before or after it runs, as if the process had died. */
export function crashAtCall<T extends object>(type: Type<T>, method: keyof T): CrashPoint {
  return (service, when) => {
    const provider = service.get(type) as Record<keyof T, (...args: unknown[]) => Promise<unknown>>;
    const original = provider[method];
    provider[method] = async (...args) => {
      provider[method] = original;
      if (when === 'after') await original.apply(provider, args);
      throw new Error('killed');
    };
  };
}
