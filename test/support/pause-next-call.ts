import type { Type } from '@nestjs/common';
import type { TestService } from './service';

/** A method call that waits until the test releases it. */
export interface PausedCall {
  /** Resolves when the method is called. */
  readonly reached: Promise<void>;
  /** Continues the call. @param crashes the call throws afterwards, as if the process had died. */
  release(crashes: boolean): void;
}

/**
 * Pauses the next call of a method before it runs.
 * @param isMeant tells by the arguments which calls; the service may make others in the background.
 */
export function pauseNextCall<T extends object>(
  service: TestService,
  type: Type<T>,
  method: keyof T,
  isMeant: (...args: never[]) => boolean = () => true,
): PausedCall {
  const provider = service.get(type) as Record<keyof T, (...args: unknown[]) => Promise<unknown>>;
  const original = provider[method];
  let release: PausedCall['release'] = () => undefined;
  const released = new Promise<boolean>((resolve) => (release = resolve));
  const reached = new Promise<void>((resolve) => {
    provider[method] = async (...args) => {
      if (!isMeant(...(args as never[]))) return original.apply(provider, args);
      provider[method] = original;
      resolve();
      const crashes = await released;
      const result = await original.apply(provider, args);
      if (crashes) throw new Error('killed');
      return result;
    };
  });
  return { reached, release };
}
