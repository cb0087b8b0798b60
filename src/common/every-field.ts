/** `Type` with optional fields that must be set, if only to undefined: a mapper that forgets one does not compile. */
export type EveryField<Type> = { [Field in keyof Required<Type>]: Type[Field] };
