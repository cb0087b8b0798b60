/** Calls the API with a key. @param path below `/api/v1`. */
export function callApi(
  apiUrl: string,
  apiKey: string,
  method: string,
  path: string,
  body?: object,
): Promise<Response> {
  return fetch(`${apiUrl}/api/v1${path}`, {
    method,
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
}

/** Reads `data` of a response. @throws Error unless it is a success. */
export async function readData<Data>(call: Promise<Response>): Promise<Data> {
  const answer = await call;
  if (!answer.ok) throw new Error(`${answer.url} was answered ${answer.status}: ${await answer.text()}`);
  return ((await answer.json()) as { data: Data }).data;
}

/** Responses by status. */
export type StatusCounts = Record<string, number>;

/** Waits for a response and counts its status. */
export async function countStatus(statusCounts: StatusCounts, call: Promise<Response>): Promise<Response> {
  const answer = await call;
  await answer.arrayBuffer();
  statusCounts[answer.status] = (statusCounts[answer.status] ?? 0) + 1;
  return answer;
}
