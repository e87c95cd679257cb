import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = join(import.meta.dirname, '..');
const REPORT = join(ROOT, 'docs/api-report.md');
/** The modules of the package, by import name. */
export const ENTRIES: Readonly<Record<string, string>> = {
  mnemis: 'src/index.ts',
  'mnemis/langchain': 'src/langchain/index.ts',
  'mnemis/ai-sdk': 'src/ai-sdk/index.ts',
  'mnemis/anthropic': 'src/anthropic/index.ts',
  'mnemis/openai-agents': 'src/openai-agents/index.ts',
  'mnemis/mastra': 'src/mastra/index.ts',
  'mnemis/strands': 'src/strands/index.ts',
  'mnemis/adk': 'src/adk/index.ts',
  'mnemis/client': 'main/client/index.ts',
  'mnemis/langgraph': 'src/langgraph/index.ts',
  'mnemis/mcp': 'main/mcp/index.ts',
  'mnemis/eval': 'eval/index.ts',
  'mnemis/papers': 'eval/papers/index.ts',
};

export interface ApiReport {
  /** Markdown: every exported name with its declaration, so that a change of the public API shows in a review. */
  readonly text: string;
  /** Exported names, and public methods of exported classes, without a docstring. */
  readonly undocumented: readonly string[];
}

/** Reads the public API from the source. */
export function apiReport(): ApiReport {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, files: [], include: [] }, ts.sys, ROOT);
  const paths = Object.values(ENTRIES).map((entry) => join(ROOT, entry));
  const program = ts.createProgram(paths, { ...options, incremental: false, noEmit: true });
  const reader = new ApiReader(program.getTypeChecker());
  const modules = Object.entries(ENTRIES).map(([name, path]) => {
    const file = program.getSourceFile(join(ROOT, path))!;
    return `## ${name}\n\n\`\`\`ts\n${reader.read(name, file)}\n\`\`\`\n`;
  });
  const note = 'Written by `node --import tsx scripts/api-report.ts`; a test compares it with the source.';
  return { text: `# Public API\n\n${note}\n\n${modules.join('\n')}`, undocumented: reader.undocumented };
}

export function checkedInReport(): string {
  return readFileSync(REPORT, 'utf8');
}

class ApiReader {
  readonly undocumented: string[] = [];
  readonly #checker: ts.TypeChecker;
  readonly #printer = ts.createPrinter({ removeComments: true });

  constructor(checker: ts.TypeChecker) {
    this.#checker = checker;
  }

  read(module: string, file: ts.SourceFile): string {
    const exported = this.#checker.getExportsOfModule(this.#checker.getSymbolAtLocation(file)!);
    const byName = exported.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    return byName.flatMap((symbol) => this.#describe(module, symbol)).join('\n\n');
  }

  #describe(module: string, symbol: ts.Symbol): readonly string[] {
    const target = symbol.flags & ts.SymbolFlags.Alias ? this.#checker.getAliasedSymbol(symbol) : symbol;
    const { declarations = [] } = target;
    // A constant and a type with the same name need only one docstring.
    this.#expectWords(`${module}: ${symbol.name}`, target);
    return declarations.map((declaration) => this.#print(declaration, `${module}: ${symbol.name}`));
  }

  #expectWords(name: string, symbol: ts.Symbol): void {
    const words =
      symbol.getDocumentationComment(this.#checker).length + symbol.getJsDocTags(this.#checker).length;
    if (words === 0) this.undocumented.push(name);
  }

  /** An error class with the members that its definition gives it. */
  #printError(node: ts.ClassDeclaration, definition: ts.CallExpression): string {
    const [code, parts] = definition.arguments as unknown as [ts.StringLiteral, ts.ArrowFunction];
    const inherited = new Set(['code', 'name', 'message', 'stack', 'cause']);
    const fields = this.#checker
      .getTypeAtLocation(node)
      .getProperties()
      .filter(({ name }) => !inherited.has(name))
      .map((field) => {
        const type = this.#checker.getTypeOfSymbolAtLocation(field, node);
        return `readonly ${field.name}: ${this.#checker.typeToString(type, node, ts.TypeFormatFlags.NoTruncation)};`;
      });
    const given = parts.parameters.map((parameter) => parameter.getText()).join(', ');
    const lines = [`static readonly code = ${code.getText()};`, ...fields, `constructor(${given});`];
    return `export class ${node.name!.text} extends MnemisError {\n${lines.map((line) => `    ${line}\n`).join('')}}`;
  }

  #print(node: ts.Declaration, name: string): string {
    const file = node.getSourceFile();
    const print = (each: ts.Node) => this.#printer.printNode(ts.EmitHint.Unspecified, each, file);
    if (ts.isVariableDeclaration(node)) {
      const type = this.#checker.getTypeAtLocation(node);
      return `const ${node.name.getText()}: ${this.#checker.typeToString(type, node, ts.TypeFormatFlags.NoTruncation)};`;
    }
    if (ts.isFunctionDeclaration(node)) return print(withoutBody(node));
    if (ts.isInterfaceDeclaration(node) && isInferred(node)) return this.#printProperties(node);
    if (!ts.isClassDeclaration(node)) return print(node);
    const definition = definitionOf(node);
    if (definition !== null) return this.#printError(node, definition);
    const members = node.members.filter(isPublic);
    for (const member of members)
      if (ts.isMethodDeclaration(member) && !isInherited(member))
        this.#expectWords(
          `${name}.${member.name.getText()}`,
          this.#checker.getSymbolAtLocation(member.name)!,
        );
    return print(
      ts.factory.updateClassDeclaration(
        node,
        node.modifiers,
        node.name,
        node.typeParameters,
        node.heritageClauses,
        members.map(withoutBody),
      ),
    );
  }

  #printProperties(node: ts.InterfaceDeclaration): string {
    const flags = ts.TypeFormatFlags.NoTruncation | ts.TypeFormatFlags.UseAliasDefinedOutsideCurrentScope;
    const lines = this.#checker
      .getTypeAtLocation(node)
      .getProperties()
      .map((property) => {
        const type = this.#checker.getTypeOfSymbol(property);
        const optional = property.flags & ts.SymbolFlags.Optional ? '?' : '';
        return `    readonly ${property.name}${optional}: ${this.#checker.typeToString(type, node, flags)};\n`;
      });
    return `export interface ${node.name.text} {\n${lines.join('')}}`;
  }
}

/** Whether an interface has the properties of a table of columns or of a schema, as its readers see them. */
function isInferred({ members, heritageClauses }: ts.InterfaceDeclaration): boolean {
  const base = heritageClauses?.[0]?.types[0];
  return members.length === 0 && ['Row', 'Readonly'].includes(base?.expression.getText() ?? '');
}

function definitionOf(node: ts.ClassDeclaration): ts.CallExpression | null {
  const base = node.heritageClauses?.[0]?.types[0]?.expression;
  return base !== undefined && ts.isCallExpression(base) && base.expression.getText() === 'defineError'
    ? base
    : null;
}

function isPublic(member: ts.ClassElement): boolean {
  const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;
  return (
    !(member.name !== undefined && ts.isPrivateIdentifier(member.name)) &&
    (ts.getCombinedModifierFlags(member) & hidden) === 0 &&
    !ts.isClassStaticBlockDeclaration(member)
  );
}

function isInherited(member: ts.ClassElement): boolean {
  return (ts.getCombinedModifierFlags(member) & ts.ModifierFlags.Override) !== 0;
}

/** The declaration as a reader of its types sees it: no bodies, no values of typed properties. */
function withoutBody<Node extends ts.ClassElement | ts.FunctionDeclaration>(node: Node): Node {
  const hidden = new Set<ts.Node | undefined>();
  if (ts.isFunctionLike(node) && 'body' in node) hidden.add(node.body as ts.Node | undefined);
  if (ts.isPropertyDeclaration(node) && node.type !== undefined) hidden.add(node.initializer);
  hidden.delete(undefined);
  if (hidden.size === 0) return node;
  const drop = (child: ts.Node) => (hidden.has(child) ? undefined : child);
  return ts.visitEachChild(node, drop, undefined) as Node;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(REPORT, apiReport().text);
