import type { LayerName } from '@schemakit/validator';
import type { Language } from '../page-state.ts';
import type { Texts } from '../texts/texts.ts';
import { at, listAt, numberAt, textAt, textsAt } from './entries.ts';
import { shownNumber } from './numbers.ts';

/** What a layer saw, in three short lines. */
export interface Fact {
  label: string;
  value: string;
}

interface Words {
  texts: Texts;
  language: Language;
  /** When it was checked. */
  now: number;
}

export function layerFacts(name: LayerName, entries: unknown, words: Words): readonly Fact[] {
  return factsOf[name](entries, words);
}

const factsOf: Readonly<Record<LayerName, (entries: unknown, words: Words) => readonly Fact[]>> = {
  http(entries, { texts: { facts }, language, now }) {
    const [status, ms] = [numberAt(entries, 'statusCode'), numberAt(entries, 'responseTimeMs')];
    const tls = textAt(entries, 'sslProtocol')?.replace('TLSv', 'TLS ');
    const version = textAt(entries, 'alpn') === 'h2' ? 'HTTP/2' : 'HTTP/1.1';
    const answer =
      status === undefined ? facts.noAnswer : facts.answerValue(String(status), shownNumber(ms ?? 0, language));
    return [
      { label: facts.answer, value: answer },
      { label: facts.connection, value: tls === undefined ? facts.unencrypted : `${tls}, ${version}` },
      { label: facts.certificate, value: certificateFact(textAt(entries, 'sslExpiresAt'), facts, now) },
    ];
  },
  mcp(entries, { texts: { facts } }) {
    const [name, version] = [textAt(entries, 'serverName'), textAt(entries, 'serverVersion')];
    const [revision, transport] = [textAt(entries, 'protocolVersion'), textAt(entries, 'transport')];
    const [tools, resources, prompts] = ['tools', 'resources', 'prompts'].map((list) => listAt(entries, list).length);
    return [
      { label: facts.server, value: name === undefined ? facts.unnamed : [name, version].filter(Boolean).join(' ') },
      {
        label: facts.speaks,
        value:
          transport === undefined ? facts.noHandshake : facts.over(revision ?? '?', TRANSPORTS[transport] ?? transport),
      },
      { label: facts.offers, value: facts.offer(tools ?? 0, resources ?? 0, prompts ?? 0) },
    ];
  },
  a2a(entries, { texts: { facts } }) {
    const names = listAt(entries, 'skills').flatMap((skill) => textAt(skill, 'name') ?? textAt(skill, 'id') ?? []);
    const name = [textAt(entries, 'agentName') ?? facts.unnamed, textAt(entries, 'agentVersion')]
      .filter(Boolean)
      .join(' ');
    return [
      { label: facts.agent, value: name },
      { label: facts.skills, value: firstOf(names, facts) },
      { label: facts.interfaces, value: firstOf(textsAt(entries, 'protocolBindings'), facts) },
    ];
  },
  payment(entries, { texts: { facts } }) {
    const prices = listAt(entries, 'prices').flatMap((price) => textAt(price, 'text') ?? []);
    const version = numberAt(entries, 'version');
    const schemes = textsAt(entries, 'schemes');
    return [
      { label: facts.price, value: prices.length === 0 ? facts.noTerms : firstOf([...new Set(prices)], facts, 1) },
      { label: facts.networks, value: firstOf(textsAt(entries, 'networks'), facts, 2) },
      {
        label: facts.scheme,
        value: [...schemes, ...(version === undefined ? [] : [facts.x402(String(version))])].join(', ') || facts.none,
      },
    ];
  },
  oauth(entries, { texts: { facts } }) {
    const isRequired = at(entries, 'isRequired');
    const login =
      isRequired === true ? facts.loginRequired : isRequired === false ? facts.loginOptional : facts.loginUnknown;
    return [
      { label: facts.login, value: login },
      { label: facts.issuer, value: textAt(entries, 'issuer') ?? facts.missing },
      {
        label: facts.pkce,
        value: textsAt(entries, 'pkceMethodsSupported').includes('S256') ? facts.supported : facts.unsupported,
      },
    ];
  },
  apps(entries, { texts: { facts } }) {
    const permissions = textsAt(entries, 'permissionsSummary');
    return [
      { label: facts.views, value: String(numberAt(entries, 'uiResourceCount') ?? 0) },
      { label: facts.linkedTools, value: String(numberAt(entries, 'uiLinkedToolCount') ?? 0) },
      { label: facts.permissions, value: permissions.length === 0 ? facts.noneAsked : firstOf(permissions, facts) },
    ];
  },
  html(entries, { texts: { facts } }) {
    return [
      { label: facts.pageTitle, value: textAt(entries, 'title') ?? facts.missing },
      { label: facts.language, value: textAt(entries, 'language') ?? facts.missing },
      { label: facts.description, value: textAt(entries, 'description') ?? facts.missing },
    ];
  },
  erc8004(entries, { texts: { facts }, language }) {
    const [id, chain] = [numberAt(entries, 'agentId'), textAt(entries, 'chainAlias')];
    const agent = [textAt(entries, 'registrationName'), id === undefined ? undefined : `#${id}`, chain];
    const [average, count] = [
      numberAt(entries, 'reputation', 'averageDecimal'),
      numberAt(entries, 'reputation', 'feedbackCount'),
    ];
    return [
      { label: facts.agent, value: agent.filter(Boolean).join(' ') || facts.unnamed },
      { label: facts.onChain, value: at(entries, 'isOnChainVerified') === true ? facts.verified : facts.unverified },
      {
        label: facts.reputation,
        value: average === undefined ? facts.none : facts.feedback(shownNumber(average, language), count ?? 0),
      },
    ];
  },
};

const TRANSPORTS: Readonly<Record<string, string>> = { 'streamable-http': 'Streamable HTTP', sse: 'HTTP+SSE' };

const DAY_MS = 24 * 60 * 60 * 1000;

function certificateFact(end: string | undefined, facts: Texts['facts'], now: number): string {
  if (end === undefined) return facts.noCertificate;
  const days = Math.floor((Date.parse(end) - now) / DAY_MS);
  return days < 0 ? facts.certificateEnded(-days) : facts.certificateValid(days);
}

function firstOf(items: readonly string[], facts: Texts['facts'], count: number = 3): string {
  if (items.length === 0) return facts.none;
  const more = items.length > count ? ` ${facts.more(items.length - count)}` : '';
  return `${items.slice(0, count).join(', ')}${more}`;
}
