import 'reflect-metadata';
import { Expose, plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';

/** What the process's environment holds; `process.env` in production, a plain object in tests. */
export type Environment = Readonly<Record<string, string | undefined>>;

const variablesOf = new Map<object, Map<string, string>>();

/** Binds a configuration property to the environment variable that sets it. */
export function Variable(name: string): PropertyDecorator {
  return (target, property) => {
    const names = variablesOf.get(target) ?? new Map<string, string>();
    names.set(String(property), name);
    variablesOf.set(target, names);
    Expose({ name })(target, property);
  };
}

/** The environment variables a configuration class reads, in the order they are declared. */
export function variablesRead(concern: new () => object): string[] {
  const prototype: unknown = concern.prototype;
  return typeof prototype === 'object' && prototype ? [...(variablesOf.get(prototype)?.values() ?? [])] : [];
}

/** Every fault of the configuration at once, each by the name of its variable. */
export class ConfigurationError extends Error {
  constructor(readonly faults: readonly string[]) {
    super(`The configuration has faults:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
  }
}

/**
 * Reads one concern from the environment. An empty variable counts as absent, because compose files and
 * `.env` templates leave them empty.
 * @returns the typed configuration and the faults found, one sentence each.
 */
export function readConcern<T extends object>(
  concern: new () => T,
  environment: Environment,
): { value: T; faults: string[] } {
  const present = Object.fromEntries(Object.entries(environment).filter(([, text]) => text?.trim()));
  const value = plainToInstance(concern, present, {
    excludeExtraneousValues: true,
    exposeDefaultValues: true,
    exposeUnsetFields: false,
  });
  const names = variablesOf.get(Object.getPrototypeOf(value) as object) ?? new Map<string, string>();
  const faults = validateSync(value, { stopAtFirstError: true }).flatMap((error) =>
    Object.values(error.constraints ?? {}).map(
      // class-validator words its texts around the property's name, which means nothing to an operator.
      (text) => `${names.get(error.property) ?? error.property} ${text.replace(`${error.property} `, '')}`,
    ),
  );
  return { value, faults };
}
