import { join, relative } from 'node:path';
import ts from 'typescript';
import { ROOT } from '../support/checkout';

const SRC = join(ROOT, 'src');

/** Finds public types that the entry points do not export. */
export class PublicTypes {
  private readonly checker: ts.TypeChecker;
  private readonly exported = new Set<ts.Symbol>();

  private constructor(private readonly program: ts.Program) {
    this.checker = program.getTypeChecker();
  }

  /** @param entryPoints paths below `src`. */
  static read(entryPoints: readonly string[]): PublicTypes {
    const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.build.json'), (file) =>
      ts.sys.readFile(file),
    ) as {
      config: unknown;
    };
    const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
    const types = new PublicTypes(
      ts.createProgram(fileNames, { ...options, incremental: false, noEmit: true }),
    );
    for (const entryPoint of entryPoints) types.readEntryPoint(join(SRC, entryPoint));
    return types;
  }

  /** Types of this package that a public signature or property names and that no entry point exports. */
  missingTypes(): string[] {
    const seen = new Set<ts.Symbol>();
    const missing = new Set<string>();
    const visit = (symbol: ts.Symbol) => {
      if (seen.has(symbol)) return;
      seen.add(symbol);
      for (const declaration of symbol.declarations ?? []) {
        for (const named of this.typesNamedIn(declaration)) {
          if (!this.exported.has(named)) missing.add(this.describe(named));
          visit(named);
        }
      }
    };
    for (const symbol of this.exported) visit(symbol);
    return [...missing].sort();
  }

  /** Exported classes of `src` that extend the class of this name and that no entry point exports. */
  missingSubclassesOf(name: string): string[] {
    const missing: string[] = [];
    for (const file of this.program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(SRC))) {
      const module = this.checker.getSymbolAtLocation(file);
      for (const symbol of module ? this.checker.getExportsOfModule(module) : []) {
        if (this.isSubclass(symbol, name) && !this.exported.has(this.resolve(symbol))) {
          missing.push(this.describe(symbol));
        }
      }
    }
    return [...new Set(missing)].sort();
  }

  private readEntryPoint(path: string): void {
    const file = this.program.getSourceFile(path);
    const module = file && this.checker.getSymbolAtLocation(file);
    if (!module) throw new Error(`${path} exports nothing`);
    for (const symbol of this.checker.getExportsOfModule(module)) this.exported.add(this.resolve(symbol));
  }

  private resolve(symbol: ts.Symbol): ts.Symbol {
    return symbol.flags & ts.SymbolFlags.Alias ? this.checker.getAliasedSymbol(symbol) : symbol;
  }

  private isSubclass(symbol: ts.Symbol, name: string): boolean {
    const resolved = this.resolve(symbol);
    if (!(resolved.flags & ts.SymbolFlags.Class)) return false;
    const type = this.checker.getDeclaredTypeOfSymbol(resolved) as ts.InterfaceType;
    return this.checker.getBaseTypes(type).some((base) => {
      // An intersection of types has no symbol.
      const found = base.getSymbol();
      return found !== undefined && (found.name === name || this.isSubclass(found, name));
    });
  }

  /** The types of `src` in the public part of a declaration, without bodies, constructors and private members. */
  private typesNamedIn(declaration: ts.Node): ts.Symbol[] {
    const found: ts.Symbol[] = [];
    const visit = (node: ts.Node): void => {
      if (ts.isBlock(node) || ts.isDecorator(node) || ts.isConstructorDeclaration(node)) return;
      if (ts.canHaveModifiers(node) && isPrivate(node)) return;
      // Only the type of a value is public, not its initializer.
      if (ts.isPropertyDeclaration(node) || ts.isVariableDeclaration(node) || ts.isParameter(node)) {
        if (node.type) visit(node.type);
        return;
      }
      const name = ts.isTypeReferenceNode(node)
        ? node.typeName
        : ts.isExpressionWithTypeArguments(node)
          ? node.expression
          : undefined;
      const symbol = name && this.checker.getSymbolAtLocation(name);
      if (symbol) {
        const resolved = this.resolve(symbol);
        if (this.isOurs(resolved)) found.push(resolved);
      }
      ts.forEachChild(node, visit);
    };
    visit(declaration);
    return found;
  }

  private isOurs({ flags, declarations = [] }: ts.Symbol): boolean {
    if (flags & ts.SymbolFlags.TypeParameter) return false;
    return declarations.some((declaration) => declaration.getSourceFile().fileName.startsWith(SRC));
  }

  private describe(symbol: ts.Symbol): string {
    const [declaration] = this.resolve(symbol).declarations ?? [];
    return `${symbol.name} (${declaration ? relative(ROOT, declaration.getSourceFile().fileName) : 'unknown'})`;
  }
}

function isPrivate(node: ts.HasModifiers): boolean {
  const isHidden = ({ kind }: ts.ModifierLike) =>
    kind === ts.SyntaxKind.PrivateKeyword || kind === ts.SyntaxKind.ProtectedKeyword;
  return node.modifiers?.some(isHidden) ?? false;
}
