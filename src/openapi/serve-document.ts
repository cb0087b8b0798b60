import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import { MemoryFile } from '../common/http/files/memory-file';
import { prepareFile } from '../common/http/files/prepared-file';

const DOCUMENT_PATH = '/docs-json';

/** The page may be stored, but is asked for again: a new version of the service has a new one. */
const REVALIDATED = 'no-cache';
const AN_HOUR = 'public, max-age=3600';

/** The files of Swagger UI that the page loads. */
const SWAGGER_UI_FILES = [
  ['swagger-ui.css', 'text/css; charset=utf-8'],
  ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
  ['favicon-32x32.png', 'image/png'],
] as const;

const PAGE = `<!DOCTYPE html>
<html lang="en">
<head>
  <meta charset="UTF-8">
  <title>Messaging Gateway API</title>
  <link rel="icon" type="image/png" href="./docs/favicon-32x32.png" sizes="32x32">
  <link rel="stylesheet" href="./docs/swagger-ui.css">
  <style>body { margin: 0; background: #fafafa; }</style>
</head>
<body>
<div id="swagger-ui"></div>
<script src="./docs/swagger-ui-bundle.js"></script>
<script src="./docs/swagger-ui-init.js"></script>
</body>
</html>
`;

/** Finds the document by the address of the script, which can be below a path of a proxy. */
const INIT_SCRIPT = `window.ui = SwaggerUIBundle({
  url: document.currentScript.src.replace(/\\/docs(\\/docs)?\\/[^/]*$/i, '${DOCUMENT_PATH}'),
  dom_id: '#swagger-ui',
  deepLinking: true,
});
`;

/** Written by `npm run openapi`, because building it at each start takes a sixth of the time of a start. */
const DOCUMENT_FILE = join(__dirname, '..', '..', 'openapi.json');

/** Serves the API document at `/docs-json` and its page at `/docs`. The document is read and compressed at the first request. */
export function serveDocument(app: NestFastifyApplication, basePath: string): void {
  const instance = app.getHttpAdapter().getInstance();
  const serve = (
    paths: readonly string[],
    type: string,
    cacheControl: string,
    load: () => Promise<Buffer>,
  ) => {
    const file = new MemoryFile(type, cacheControl, async () => prepareFile(await load()));
    for (const path of paths) instance.get(path, (request, reply) => file.send(request, reply));
  };
  const serveText = (paths: readonly string[], type: string, text: string) => {
    serve(paths, type, REVALIDATED, () => Promise.resolve(Buffer.from(text)));
  };
  serve([DOCUMENT_PATH], 'application/json; charset=utf-8', REVALIDATED, () => readDocument(basePath));
  serveText(['/docs'], 'text/html; charset=utf-8', PAGE);
  // The second path is that of the page's links at `/docs/`.
  const pathsOf = (name: string) => [`/docs/${name}`, `/docs/docs/${name}`];
  serveText(pathsOf('swagger-ui-init.js'), 'text/javascript; charset=utf-8', INIT_SCRIPT);
  const folder = dirname(require.resolve('swagger-ui-dist/package.json'));
  for (const [name, type] of SWAGGER_UI_FILES)
    serve(pathsOf(name), type, AN_HOUR, () => readFile(join(folder, name)));
}

async function readDocument(basePath: string): Promise<Buffer> {
  const document = JSON.parse(await readFile(DOCUMENT_FILE, 'utf8')) as OpenAPIObject;
  if (basePath) document.servers = document.servers?.map((server) => ({ ...server, url: basePath }));
  return Buffer.from(JSON.stringify(document));
}
