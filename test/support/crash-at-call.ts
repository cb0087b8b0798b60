import type { Type } from '@nestjs/common';
import type { TestService } from './service';

/** A call at which a process can die. @returns `died` resolves when it has. */
export type CrashPoint = (service: TestService, when: 'before' | 'after') => { readonly died: Promise<void> };

/**
 * Makes the next call of a method throw before or after it runs, as if the process had died.
 * @param isMeant tells by the arguments which calls; the service may make others in the background.
 */
export function crashAtCall<T extends object>(
  type: Type<T>,
  method: keyof T,
  isMeant: (...args: never[]) => boolean = () => true,
): CrashPoint {
  return (service, when) => {
    const provider = service.get(type) as Record<keyof T, (...args: unknown[]) => Promise<unknown>>;
    const original = provider[method];
    const died = new Promise<void>((resolve) => {
      provider[method] = async (...args) => {
        if (!isMeant(...(args as never[]))) return original.apply(provider, args);
        provider[method] = original;
        try {
          if (when === 'after') await original.apply(provider, args);
        } finally {
          resolve();
        }
        throw new Error('killed');
      };
    });
    return { died };
  };
}
