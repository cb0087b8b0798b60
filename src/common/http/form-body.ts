/** The fields of a form: each a text, or a list of texts where the form repeats the field or names it `field[]`. */
export class FormBody {
  [field: string]: string | string[];
}

/** Media types of request bodies that may be forms. */
export const isFormType = (contentType = ''): boolean =>
  /^application\/x-www-form-urlencoded\s*(;|$)/i.test(contentType);

/** Reads `a=1&b=2&b=3`. */
export function parseForm(text: string): FormBody {
  const fields = new Map<string, string | string[]>();
  for (const [name, value] of new URLSearchParams(text)) {
    const isList = name.endsWith('[]');
    const field = isList ? name.slice(0, -2) : name;
    const known = fields.get(field);
    if (known === undefined) fields.set(field, isList ? [value] : value);
    else if (typeof known === 'string') fields.set(field, [known, value]);
    else known.push(value);
  }
  const body = new FormBody();
  for (const [field, value] of fields)
    Object.defineProperty(body, field, { value, enumerable: true, configurable: true, writable: true });
  return body;
}
