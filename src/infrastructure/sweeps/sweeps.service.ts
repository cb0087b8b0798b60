import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { SchedulerRegistry } from '@nestjs/schedule';
import { Clock } from '../../common/clock';
import { MINUTE_MS } from '../../common/durations';
import { formatError } from '../../common/format-error';
import { Activity } from './activity.service';
import { type SweepDefinition, sweepDefinitionOf } from './sweep.decorator';

/** The longest time between two calls of a sweep with a shorter interval. */
const REST_MS = MINUTE_MS;

/**
 * Calls the methods with `@Sweep` at their intervals. While nothing happens in the installation, it calls a method only once a minute,
 * unless work for it is due within a minute. Not less often: another process may have been unable to tell what it did.
 */
@Injectable()
export class Sweeps implements OnApplicationBootstrap {
  private readonly logger = new Logger(Sweeps.name);

  constructor(
    private readonly providers: DiscoveryService,
    private readonly methods: MetadataScanner,
    private readonly intervals: SchedulerRegistry,
    private readonly activity: Activity,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    for (const { instance } of this.providers.getProviders()) if (isObject(instance)) this.startOf(instance);
  }

  private startOf(target: object): void {
    const prototype = Object.getPrototypeOf(target) as object | null;
    if (!prototype) return;
    for (const key of this.methods.getAllMethodNames(prototype)) {
      const method: unknown = Reflect.get(prototype, key);
      const definition = isObject(method) && sweepDefinitionOf(method);
      if (definition) this.start(target, key, method as () => Promise<void>, definition);
    }
  }

  private start(
    target: object,
    key: string,
    method: () => Promise<void>,
    { everyMs, isDueBefore }: SweepDefinition,
  ): void {
    const name = `${target.constructor.name}.${key}`;
    const isDueSoon = async () => {
      const time = new Date(this.clock.now().getTime() + REST_MS);
      return isDueBefore?.(target as never, time).catch((failure: unknown) => {
        this.logger.error(`${name}: what is due next was not read: ${formatError(failure)}`);
        return true;
      });
    };
    let restsUntil = 0;
    const call = async () => {
      const restMs = restsUntil - this.clock.now().getTime();
      // A clock that was set back must not make it rest for longer.
      if (!this.activity.isActive && restMs > 0 && restMs <= REST_MS) return;
      await method.call(target);
      restsUntil = this.activity.isActive || (await isDueSoon()) ? 0 : this.clock.now().getTime() + REST_MS;
    };
    this.intervals.addInterval(
      name,
      setInterval(() => void call(), everyMs),
    );
  }
}

const isObject = (value: unknown): value is object =>
  (typeof value === 'object' || typeof value === 'function') && value !== null;
