// The OpenAPI document in words; it needs no network beyond this server.

import { escape } from "../look.js";

const schemaText = (content) => escape(JSON.stringify(content?.schema ?? {}, null, 1));

function endpoint(path, method, { description, summary, parameters = [], requestBody, responses }) {
  const inputs = parameters.map((p) => `<li><code>${escape(p.name)}</code> (${p.in}) ${escape(p.description ?? "")}
    <small>${escape(JSON.stringify(p.schema))}</small></li>`).join("");
  const bodies = Object.entries(requestBody?.content ?? {}).map(([media, content]) =>
    `<details><summary>Body: ${escape(media)}</summary><pre>${schemaText(content)}</pre></details>`).join("");
  const answers = Object.entries(responses).map(([status, r]) => `${status} ${escape(r.description ?? "")}`).join(" · ");
  return `<section><h2><code>${method.toUpperCase()} ${escape(path)}</code></h2><p>${escape(description ?? summary)}</p>
    <ul>${inputs}</ul>${bodies}<p class="hint">${answers}</p></section>`;
}

const { paths } = await (await fetch("/openapi.json")).json();
document.getElementById("endpoints").innerHTML = Object.entries(paths)
  .flatMap(([path, methods]) => Object.entries(methods).map(([method, entry]) => endpoint(path, method, entry))).join("");
