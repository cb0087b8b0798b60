import { Injectable, type OnApplicationBootstrap, RequestMethod, type Type } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum';
import { ModulesContainer } from '@nestjs/core';
import { type RequestShape, shapeOf } from './request-shape';

export interface RouteShape {
  readonly body?: RequestShape;
  readonly query?: RequestShape;
  /** The first path segment. Misspelt fields are compared with the fields of the same area. */
  readonly area: string;
}

/** The request DTOs of all routes, read from the parameters of their handlers. */
@Injectable()
export class RequestShapeRegistry implements OnApplicationBootstrap {
  private readonly byHandler = new Map<unknown, RouteShape>();
  private readonly bodyFields = new Map<string, Map<string, string>>();
  private readonly queryFields = new Map<string, string>();

  constructor(private readonly modules: ModulesContainer) {}

  onApplicationBootstrap(): void {
    for (const module of this.modules.values()) {
      for (const { metatype } of module.controllers.values()) {
        if (typeof metatype === 'function') this.addController(metatype as Type);
      }
    }
  }

  find(handler: unknown): RouteShape | undefined {
    return this.byHandler.get(handler);
  }

  /** Body fields by name, each with a route that has the field; without requests of phones. */
  bodyFieldsOf(area: string): ReadonlyMap<string, string> {
    return this.bodyFields.get(area) ?? new Map();
  }

  /** Query parameters by name, each with a route that has the parameter. */
  listParameters(): ReadonlyMap<string, string> {
    return this.queryFields;
  }

  private addController(controller: Type): void {
    const prototype = controller.prototype as Record<string, unknown>;
    const root = firstOf(Reflect.getMetadata(PATH_METADATA, controller));
    const [area = ''] = root.split('/').filter(Boolean);
    for (const name of Object.getOwnPropertyNames(prototype)) {
      const handler = Object.getOwnPropertyDescriptor(prototype, name)?.value as unknown;
      if (typeof handler !== 'function' || !Reflect.hasMetadata(PATH_METADATA, handler)) continue;
      const body = dtoOf(controller, name, RouteParamtypes.BODY);
      const query = dtoOf(controller, name, RouteParamtypes.QUERY);
      this.byHandler.set(handler, { area, body, query });
      const method = RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod];
      const path = [root, firstOf(Reflect.getMetadata(PATH_METADATA, handler))].join('/');
      const route = `${method} ${path.split('/').filter(Boolean).join('/')}`;
      const areaFields = this.bodyFields.get(area) ?? new Map<string, string>();
      this.bodyFields.set(area, areaFields);
      // What a PATCH changes are properties such as a label, which in another request are no mistake.
      if (body && method !== 'PATCH' && !body.isFromPhone && !body.isCombined && !body.isUnsuggested)
        addNames(areaFields, body, route);
      if (query && !query.isFromPhone) addNames(this.queryFields, query, route);
    }
  }
}

const firstOf = (path: unknown): string => String(Array.isArray(path) ? path[0] : path);

function addNames(names: Map<string, string>, shape: RequestShape, route: string): void {
  for (const [name, { nested }] of shape.fields) {
    const current = names.get(name);
    if (current === undefined || route.length < current.length) names.set(name, route);
    if (nested && !nested.isUnsuggested) addNames(names, nested, route);
  }
}

/** The DTO of `@Body()` or `@Query()`; a single field such as `@Body('name')` is not a DTO. */
function dtoOf(controller: Type, method: string, source: RouteParamtypes): RequestShape | undefined {
  const parameters = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, method) ?? {}) as Record<
    string,
    { readonly index: number; readonly data?: unknown }
  >;
  const types = (Reflect.getMetadata('design:paramtypes', controller.prototype as object, method) ??
    []) as Type[];
  for (const [key, { index, data }] of Object.entries(parameters)) {
    const type = types[index];
    if (key.startsWith(`${source}:`) && data === undefined && type && (type as unknown) !== Object) {
      return shapeOf(type);
    }
  }
  return undefined;
}
