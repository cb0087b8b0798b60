import 'reflect-metadata';
import { applyDecorators } from '@nestjs/common';
import { Expose, plainToInstance, Transform, Type } from 'class-transformer';
import { IsBoolean, IsInt, Max, Min, validateSync } from 'class-validator';
import { loadEnvFile } from './env-file';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment variables, plus those of a `.env` file in the working directory that are not set. */
export function readProcessEnvironment(): Environment {
  loadEnvFile('.env');
  return process.env;
}

const variablesOf = new Map<object, Map<string, string>>();

/** Binds a property to an environment variable. */
export function Variable(name: string): PropertyDecorator {
  return (target, property) => {
    const names = variablesOf.get(target) ?? new Map<string, string>();
    names.set(String(property), name);
    variablesOf.set(target, names);
    Expose({ name })(target, property);
  };
}

/** Binds a property to an environment variable with a whole number. */
export const IntegerVariable = (name: string, min: number, max?: number): PropertyDecorator =>
  applyDecorators(
    ...(max === undefined ? [] : [Max(max)]),
    Min(min),
    IsInt(),
    Type(() => Number),
    Variable(name),
  );

/** Binds a property to an environment variable that is `true` or `false`. */
export const BooleanVariable = (name: string): PropertyDecorator =>
  applyDecorators(
    IsBoolean({ message: 'must be true or false' }),
    Transform(({ value }: { value: unknown }) =>
      value === 'true' ? true : value === 'false' ? false : value,
    ),
    Variable(name),
  );

export const CommaSeparated = (): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' ? value.split(',').map((part) => part.trim()) : value,
  );

/** The environment variables of a section, in the order of declaration. */
export function variablesRead(section: new () => object): string[] {
  const prototype: unknown = section.prototype;
  return typeof prototype === 'object' && prototype ? [...(variablesOf.get(prototype)?.values() ?? [])] : [];
}

export class ConfigurationError extends Error {
  constructor(readonly errors: readonly string[]) {
    super(`The configuration is invalid:\n${errors.map((error) => `  ${error}`).join('\n')}`);
  }
}

/**
 * Reads one section from the environment. An empty variable counts as absent, because Compose files and `.env`
 * templates leave variables empty.
 * @returns the section and its errors, one sentence each.
 */
export function readSection<T extends object>(
  section: new () => T,
  environment: Environment,
): { value: T; errors: string[] } {
  const present = Object.fromEntries(Object.entries(environment).filter(([, text]) => text?.trim()));
  const value = plainToInstance(section, present, {
    excludeExtraneousValues: true,
    exposeDefaultValues: true,
    exposeUnsetFields: false,
  });
  const names = variablesOf.get(Object.getPrototypeOf(value) as object) ?? new Map<string, string>();
  const errors = validateSync(value, { stopAtFirstError: true }).flatMap((error) =>
    Object.values(error.constraints ?? {}).map(
      // class-validator begins its texts with the property name, which operators do not know.
      (text) => `${names.get(error.property) ?? error.property} ${text.replace(`${error.property} `, '')}`,
    ),
  );
  return { value, errors };
}
