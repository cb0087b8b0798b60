import type { OpenAPIObject } from '@nestjs/swagger';
import type { Locator, Page, Response } from 'playwright-core';
import { singleOperationDocument } from './single-operation-document';

export interface DisplayedOperation {
  readonly id: string;
  readonly tag: string;
  readonly method: string;
  readonly path: string;
}

/** Form input for one operation. */
export interface OperationInput {
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** Replacements of texts in the example body. */
  readonly body: Readonly<Record<string, string>>;
}

export interface DisplayedResponse {
  /** The status the browser received. */
  readonly status: number;
  /** The status on the page; undefined for an open stream. */
  readonly displayedStatus: string | undefined;
  readonly body: unknown;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

const idOf = ({ tag, id }: DisplayedOperation): string => `operations-${tag.replaceAll(' ', '_')}-${id}`;

/**
 * Drives Swagger UI through its buttons. Swagger UI resolves the whole document for each opened operation, which takes half
 * a second of CPU, so the page displays one operation at a time.
 */
export class SwaggerPage {
  private constructor(
    private readonly page: Page,
    private readonly document: OpenAPIObject,
  ) {}

  /** @param document the document that the service serves. */
  static async of(page: Page, document: OpenAPIObject): Promise<SwaggerPage> {
    await page.locator('.opblock').first().waitFor();
    return new SwaggerPage(page, document);
  }

  /** Counts the operations and errors on the page. */
  async countDisplayed(): Promise<{ operations: number; errors: number }> {
    return {
      operations: await this.page.locator('.opblock-summary-control').count(),
      errors: await this.page.locator('.errors-wrapper').count(),
    };
  }

  /** Enters the credential of one scheme under Authorize and logs out of the others. */
  async authorize(scheme: string, credential: string): Promise<void> {
    await this.page.click('.auth-wrapper .authorize');
    const dialog = this.page.locator('.dialog-ux');
    const logOut = dialog.locator('button:text-is("Logout")');
    while ((await logOut.count()) > 0) await logOut.first().click();
    const form = dialog.locator('.auth-container', { hasText: scheme });
    await form.locator('input').fill(credential);
    await form.locator('button[type=submit]').click();
    await dialog.locator('button.btn-done').first().click();
  }

  /** Opens an operation, fills in the form and presses Execute. */
  async execute(
    operation: DisplayedOperation,
    { path, query, body }: OperationInput,
  ): Promise<DisplayedResponse> {
    await this.show(operation);
    const block = this.page.locator(`[id="${idOf(operation)}"]`);
    // Unlike click(), dispatchEvent() does not wait for animations.
    await block.locator('.opblock-summary-control').dispatchEvent('click');
    await block.locator('.try-out__btn').dispatchEvent('click');
    for (const [name, value] of Object.entries(path))
      await block.locator(`tr[data-param-in=path][data-param-name=${name}] input`).fill(value);
    for (const [name, value] of Object.entries(query))
      await block.locator(`tr[data-param-in=query][data-param-name=${name}] input`).fill(value);
    await this.fillBody(block, body);
    const pendingResponse = this.waitForResponse(operation);
    await block.locator('button.execute').click();
    return this.readResponse(block, await pendingResponse);
  }

  private async show(operation: DisplayedOperation): Promise<void> {
    await this.page.evaluate(
      (text) => {
        // The script of the page stores Swagger UI here.
        const { ui } = globalThis as unknown as { ui: { specActions: { updateSpec(text: string): void } } };
        ui.specActions.updateSpec(text);
      },
      JSON.stringify(singleOperationDocument(operation, this.document)),
    );
    await this.page.waitForFunction(
      `document.querySelectorAll('.opblock').length === 1 && document.getElementById('${idOf(operation)}') !== null`,
    );
  }

  private async fillBody(block: Locator, replacements: OperationInput['body']): Promise<void> {
    if (Object.keys(replacements).length === 0) return;
    const text = block.locator('textarea.body-param__text');
    let body = await text.inputValue();
    for (const [example, value] of Object.entries(replacements)) {
      if (!body.includes(example)) throw new Error(`The example has no ${example}: ${body}`);
      body = body.replaceAll(example, value);
    }
    await text.fill(body);
  }

  private waitForResponse({ method, path }: DisplayedOperation): Promise<Response> {
    const route = new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`);
    return this.page.waitForResponse(
      (response) =>
        response.request().method().toLowerCase() === method && route.test(new URL(response.url()).pathname),
    );
  }

  /** The page displays no response until it has ended, and a stream does not end. */
  private async readResponse(block: Locator, answer: Response): Promise<DisplayedResponse> {
    const status = answer.status();
    if (answer.headers()['content-type']?.startsWith('text/event-stream'))
      return { status, displayedStatus: undefined, body: undefined };
    const shown = await block.locator('.live-responses-table .response-col_status').last().innerText();
    const body: unknown = await answer.json().catch(() => undefined);
    return { status, displayedStatus: /^\d+/.exec(shown)?.[0], body };
  }
}

/** The text at a path in a response body. @throws Error if there is none. */
export function textAt(body: unknown, ...names: (string | number)[]): string {
  const found = names.reduce<unknown>((node, name) => (isObject(node) ? node[name] : undefined), body);
  if (typeof found !== 'string') throw new Error(`No ${names.join('.')} in ${JSON.stringify(body)}`);
  return found;
}
