import type { Attack, CodeGroup, DataGroup } from '../tests/attacks/attack.ts';
import { codeGroups, dataGroups } from '../tests/attacks/groups.ts';
import { markdownTable } from './markdown-table.ts';

/** Writes the attacks between their marks in docs/security.md, such as `<!-- attacks: code -->` and `<!-- end -->`. */
export function fillAttacks(page: string): string {
  return page.replace(
    /(<!-- attacks: (\w+) -->\n)[\s\S]*?(<!-- end -->)/g,
    (_, begin: string, kind: string, end: string) => `${begin}\n${sections[kind]?.() ?? ''}\n\n${end}`,
  );
}

const sections: Readonly<Record<string, () => string>> = {
  count: () => {
    const attacks: readonly Attack[] = [...codeGroups, ...dataGroups].flatMap(
      (group): readonly Attack[] => group.attacks,
    );
    const broken = attacks.filter((attack) => attack.broken !== undefined);
    return `${attacks.length} attacks. ${attacks.length - broken.length} are stopped; ${broken.length} are not:\n\n${broken.map(asItem).join('\n')}`;
  },
  code: () => codeGroups.map(codeTable).join('\n\n'),
  data: () => dataGroups.map(dataTable).join('\n\n'),
};

function asItem(attack: Attack): string {
  return `- ${sentence(attack.name)}: ${attack.broken}.`;
}

function codeTable({ title, attacks }: CodeGroup): string {
  const rows = attacks.map((attack) => [
    sentence(attack.name),
    attack.harm,
    asCode(attack.scan),
    attack.broken ? 'no' : 'yes',
  ]);
  return `### ${title}\n\n${markdownTable(['The schema', 'Unprotected, it', 'Scan', 'Stopped by the sandbox'], rows)}`;
}

function dataTable({ title, attacks }: DataGroup): string {
  const rows = attacks.map(({ name, harm, outcome, broken }) => [
    sentence(name),
    harm,
    broken ? 'not stopped' : asCode(outcome),
  ]);
  return `### ${title}\n\n${markdownTable(['The attack', 'Unprotected, it', 'With SchemaKit'], rows)}`;
}

function sentence(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function asCode(text: string): string {
  return /^[A-Z][A-Z0-9_]+$/.test(text) ? `\`${text}\`` : text;
}
