import type { OpenAPIObject } from '@nestjs/swagger';

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** Adds all direct and transitive references of a node to `found`. */
function collectReferences(node: unknown, document: OpenAPIObject, found: Set<string>): void {
  if (!isObject(node)) return;
  const { $ref } = node;
  if (typeof $ref === 'string' && !found.has($ref)) {
    found.add($ref);
    const names = $ref.split('/').slice(1);
    const target = names.reduce<unknown>((each, name) => (isObject(each) ? each[name] : undefined), document);
    collectReferences(target, document, found);
  }
  for (const value of Object.values(node)) collectReferences(value, document, found);
}

/** Reduces an OpenAPI document to one operation and the components it references. */
export function singleOperationDocument(
  { path, method, tag }: { readonly path: string; readonly method: string; readonly tag: string },
  document: OpenAPIObject,
): OpenAPIObject {
  const operation: unknown = Object.entries(document.paths[path] ?? {}).find(
    ([name]) => name === method,
  )?.[1];
  const found = new Set<string>();
  collectReferences(operation, document, found);
  const components = Object.entries(document.components ?? {}).map(([kind, named]) => [
    kind,
    Object.fromEntries(
      Object.entries(named as object).filter(
        ([name]) => kind === 'securitySchemes' || found.has(`#/components/${kind}/${name}`),
      ),
    ),
  ]);
  const { openapi, info, servers, security, tags = [] } = document;
  return {
    openapi,
    info,
    servers,
    security,
    tags: tags.filter(({ name }) => name === tag),
    paths: { [path]: { [method]: operation } },
    components: Object.fromEntries(components) as OpenAPIObject['components'],
  };
}
