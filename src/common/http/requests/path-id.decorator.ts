import { Param } from '@nestjs/common';
import { ParseIdPipe } from './id.pipe';

interface PathIdParameter {
  readonly name: string;
  readonly description: string;
}

const PATH_IDS = Symbol('path-ids');

/** An id in the path, parsed; `ApiEndpoint` documents it. @throws ValidationFailed */
export const PathId =
  (description: string, name = 'id'): ParameterDecorator =>
  (target, key, index) => {
    if (key === undefined) return; // a parameter of a constructor
    Param(name, ParseIdPipe)(target, key, index);
    Reflect.defineMetadata(PATH_IDS, [...pathIdsOf(target, key), { name, description }], target, key);
  };

/** The ids in the path that a handler takes by `PathId`. */
export const pathIdsOf = (target: object, key: string | symbol): readonly PathIdParameter[] =>
  (Reflect.getMetadata(PATH_IDS, target, key) as readonly PathIdParameter[] | undefined) ?? [];
