import { AsyncLocalStorage } from 'node:async_hooks';
import type { mongo } from 'mongoose';
import type { AssembledService } from './assembled-service';

/** A database command and its caller. */
export interface RecordedCommand {
  /** The class and method. */
  readonly by: string;
  readonly command: mongo.BSON.Document;
}

/** Commands with a lookup, unlike inserts. */
const LOOKS_UP = ['find', 'aggregate', 'count', 'distinct', 'update', 'delete', 'findAndModify'];

/** Records the database commands of all providers with a model. */
export class Recorder {
  readonly commands: RecordedCommand[] = [];
  readonly inserts: RecordedCommand[] = [];
  private readonly caller = new AsyncLocalStorage<string>();
  private readonly calls = new Map<string, number>();

  constructor(service: AssembledService) {
    for (const holder of service.modelHolders) this.watch(holder);
    service.connection.getClient().on('commandStarted', ({ commandName, command }) => {
      const by = this.caller.getStore();
      if (by === undefined) return;
      if (LOOKS_UP.includes(commandName)) this.commands.push({ by, command });
      if (commandName === 'insert') this.inserts.push({ by, command });
    });
  }

  /** Methods that were not called. */
  get uncalled(): string[] {
    return [...this.calls].filter(([, calls]) => calls === 0).map(([name]) => name);
  }

  private watch(holder: object): void {
    for (const [method, own] of methodsOf(holder)) {
      const name = `${holder.constructor.name}.${method}`;
      this.calls.set(name, 0);
      Object.defineProperty(holder, method, {
        value: (...values: unknown[]): Promise<unknown> => {
          this.calls.set(name, (this.calls.get(name) ?? 0) + 1);
          // A query is sent when it is awaited, so await it inside this context.
          // A method that others of its class share is recorded under the one that was called from outside.
          const caller = this.caller.getStore() ?? name;
          return this.caller.run(caller, async () => await own.apply(holder, values));
        },
      });
    }
  }
}

type Method = (...values: unknown[]) => unknown;

/** The methods of its class and of those that it extends. */
function methodsOf(holder: object): [string, Method][] {
  const prototype = Object.getPrototypeOf(holder) as object;
  if (prototype === Object.prototype) return [];
  const properties = Object.getOwnPropertyDescriptors(prototype);
  const own = Object.entries(properties).flatMap(([name, { value }]: [string, PropertyDescriptor]) =>
    name !== 'constructor' && typeof value === 'function'
      ? [[name, value as Method] as [string, Method]]
      : [],
  );
  return [...methodsOf(prototype), ...own];
}
