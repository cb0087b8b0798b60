/** Of the names of `fetch` this one is missing in the types of Node 20. */
type BodyInit = NonNullable<RequestInit['body']>;
