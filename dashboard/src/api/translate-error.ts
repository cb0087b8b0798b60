import {
  ERROR_CODES,
  type ErrorCode,
  type ErrorTexts,
  FIELD_PROBLEMS,
  type FieldProblem,
} from '../i18n/errors/error-texts';

export interface FieldError {
  readonly field: string;
  readonly message: string;
}

export interface ErrorBody {
  readonly error?: string;
  readonly message?: string;
  readonly code?: string;
  readonly details?: readonly FieldError[];
  readonly contact?: { readonly _id: string; readonly name: string };
}

/**
 * The error in another language: by its code, and each invalid field by what is wrong with it. What has no text there stays in
 * English.
 */
export function translateError(body: ErrorBody, texts: ErrorTexts): ErrorBody {
  const { code, details, message = '' } = body;
  if (code === 'VALIDATION_FAILED' && details) {
    const translated = details.map((each) => translateField(each, texts));
    const [, more] = /; and (\d+) more$/.exec(message) ?? [];
    const sentences = translated.map((each, index) =>
      each === details[index] ? each.message : `${each.field}: ${each.message}`,
    );
    if (more !== undefined) sentences.push(texts.more.replace('{}', more));
    return { ...body, details: translated, message: sentences.join('; ') };
  }
  const text = textOf(body, texts);
  return text === undefined ? body : { ...body, message: text };
}

function textOf(body: ErrorBody, { codes, planLimits }: ErrorTexts): string | undefined {
  const { code } = body;
  if (code !== 'PLAN_LIMIT_REACHED') return isErrorCode(code) ? codes[code] : undefined;
  const facts = body as Readonly<Record<string, unknown>>;
  const limit = Object.entries(planLimits).find(([name]) => name === facts.limit)?.[1];
  return limit?.replace(/{{(\w+)}}/g, (_, name: string) => String(facts[name]));
}

const isErrorCode = (code: string | undefined): code is ErrorCode =>
  ERROR_CODES.some((each) => each === code);

function translateField(error: FieldError, { fields }: ErrorTexts): FieldError {
  const { field, message } = error;
  if (!message.startsWith(`${field} `)) return error;
  const problem = message.slice(field.length + 1);
  for (const [name, pattern] of Object.entries(FIELD_PROBLEMS)) {
    const found = pattern.exec(problem);
    if (found) return { field, message: fields[name as FieldProblem].replace('{}', found[1] ?? '') };
  }
  return error;
}
