import { AsyncLocalStorage } from 'node:async_hooks';
import type { mongo } from 'mongoose';
import type { AssembledService } from './assembled-service';

/** A command that was sent to the database, and whose doing it was. */
export interface RecordedCommand {
  /** Class and method. */
  readonly by: string;
  readonly command: mongo.BSON.Document;
}

/** Commands that look documents up; one that only inserts does not. */
const LOOKS_UP = ['find', 'aggregate', 'count', 'distinct', 'update', 'delete', 'findAndModify'];

/** Writes down what is asked of the database by whoever holds a model. */
export class Recorder {
  readonly commands: RecordedCommand[] = [];
  private readonly caller = new AsyncLocalStorage<string>();
  private readonly calls = new Map<string, number>();

  constructor(service: AssembledService) {
    for (const holder of service.modelHolders) this.watch(holder);
    service.connection.getClient().on('commandStarted', ({ commandName, command }) => {
      const by = this.caller.getStore();
      if (by !== undefined && LOOKS_UP.includes(commandName)) this.commands.push({ by, command });
    });
  }

  /** The methods that were not called. */
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
          // A query is sent when somebody waits for it: that must happen in here.
          return this.caller.run(name, async () => await own.apply(holder, values));
        },
      });
    }
  }
}

type Method = (...values: unknown[]) => unknown;

function methodsOf(holder: object): [string, Method][] {
  const properties = Object.getOwnPropertyDescriptors(Object.getPrototypeOf(holder) as object);
  return Object.entries(properties).flatMap(([name, { value }]: [string, PropertyDescriptor]) =>
    name !== 'constructor' && typeof value === 'function' ? [[name, value as Method]] : [],
  );
}
