import { json, Request, Response } from 'express';
import { AppError } from '../errors';
import { MalformedBody } from './body-shape';

const LIMIT_MEBIBYTES = 2;

export class BodyTooLarge extends AppError {
  readonly kind = 'invalid';
  readonly code = 'BODY_TOO_LARGE';

  constructor() {
    super(`The request body is larger than ${LIMIT_MEBIBYTES} MB`);
  }
}

// Any content type: clients in the field forget the header, and nothing but JSON is spoken here.
const parse = json({ limit: LIMIT_MEBIBYTES * 1024 * 1024, type: () => true });

/**
 * Reads the JSON body of a request, for its handler.
 * @throws BodyTooLarge, MalformedBody
 */
export async function readJsonBody(request: Request & { body: unknown }, response: Response): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    parse(request, response, (failure?: unknown) => {
      if (failure) reject(translate(failure));
      else resolve();
    });
  });
  // A request without a body is one with no fields: validation then names those that are missing.
  request.body ??= {};
}

function translate(failure: unknown): Error {
  const type = failure instanceof Error && 'type' in failure ? failure.type : undefined;
  if (type === 'entity.too.large') return new BodyTooLarge();
  return new MalformedBody('The request body is not valid JSON');
}
