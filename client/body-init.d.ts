/** The types of Node 20 lack this type of the Fetch API. */
type BodyInit = NonNullable<RequestInit['body']>;
