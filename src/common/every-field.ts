/** `Type` with optional fields that have to be named, so that a mapper that forgets one does not compile. */
export type EveryField<Type> = { [Field in keyof Required<Type>]: Type[Field] };
