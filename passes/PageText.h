//===- PageText.h - what a page is made of besides its data -----*- C++ -*-===//

#ifndef CELLGRAD_PASSES_PAGETEXT_H
#define CELLGRAD_PASSES_PAGETEXT_H

namespace cellgrad {

/// HTML that shows the JSON which takes the place of @DATA@.
constexpr char kPageText[] = R"html(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>cellgrad: a program through all stages</title>
<style>
:root{color-scheme:light dark;--ink:#1c2330;--paper:#fff;--soft:#f3f5f8;--edge:#d4d9e2;--f:#2f6ea5;--a:#b8602a;--t:#3f8a48;
--mark:#ffe9a8}
@media(prefers-color-scheme:dark){:root{--ink:#dfe4ec;--paper:#14181f;--soft:#1d232d;--edge:#38414f;--f:#74b3e8;--a:#eb9c68;
--t:#7cc987;--mark:#5a4a12}}
body{margin:0;font:14px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper)}
main{max-width:1500px;margin:auto;padding:0 16px 60px}h1{font-size:22px}h2{font-size:17px;margin:28px 0 8px}
nav button{font:inherit;color:inherit;background:var(--soft);border:1px solid var(--edge);border-radius:6px;padding:3px 10px;
margin:2px;cursor:pointer}nav button[aria-pressed=true]{background:var(--f);color:var(--paper)}
.two{display:grid;grid-template-columns:minmax(0,2fr) minmax(0,3fr);gap:12px}
@media(max-width:800px){.two{grid-template-columns:minmax(0,1fr)}}
.code{font:12px/1.55 ui-monospace,monospace;white-space:pre;overflow:auto;max-height:70vh;border:1px solid var(--edge);
border-radius:6px;background:var(--soft);padding:6px 0}
.code div{padding:0 8px;min-width:max-content}.code .n{display:inline-block;width:4ch;text-align:right;opacity:.5;
margin-right:1ch}
[data-at]{cursor:pointer}.on{background:var(--mark)!important}
.forward{border-left:3px solid var(--f)}.adjoint{border-left:3px solid var(--a)}.tangent{border-left:3px solid var(--t)}
.none{border-left:3px solid transparent}
table{border-collapse:collapse;width:100%;font-size:13px}th,td{text-align:left;padding:2px 10px;vertical-align:top;
border-bottom:1px solid var(--edge)}td.r,th.r{text-align:right}td code{white-space:pre-wrap}
#kernels td{white-space:nowrap}
@media(max-width:800px){#beside tr:first-child{display:none}#beside td{display:block;border-bottom:0}
#beside td:empty{display:none}#beside tr{display:block;border-bottom:1px solid var(--edge)}
#beside td+td{margin:2px 0 4px 10px}}
.wide{overflow:auto;border:1px solid var(--edge);border-radius:6px;background:var(--soft)}
svg text{font:11px system-ui,sans-serif;fill:var(--ink)}svg{display:block}
.key span{margin-right:14px}.key i{display:inline-block;width:10px;height:10px;margin-right:4px}
</style></head><body><main>
<h1>A program through all stages</h1>
<p class="key"><span><i style="background:var(--f)"></i>forward</span><span><i style="background:var(--a)"></i>adjoint
(reverse mode)</span><span><i style="background:var(--t)"></i>tangent (forward mode)</span>Click a line, a node or a row: what
belongs to the same line of the source is marked.</p>
<section id="source"></section><section id="beside"></section><section id="graph"></section>
<section id="kernels"></section><section id="memory"></section>
</main><script id="data" type="application/json">@DATA@</script><script>
'use strict';
const D=JSON.parse(document.getElementById('data').textContent);
const make=(tag,attrs={},...inner)=>{const e=document.createElement(tag);for(const k in attrs)e.setAttribute(k,attrs[k]);
e.append(...inner);return e};
const draw=(tag,attrs={},...inner)=>{const e=document.createElementNS('http://www.w3.org/2000/svg',tag);
for(const k in attrs)e.setAttribute(k,attrs[k]);e.append(...inner);return e};
const at=p=>p<0?'':D.places[p].file+':'+D.places[p].line;
const phase=p=>p<0?'none':D.places[p].phase;
const colour=p=>p<0?'var(--edge)':{forward:'var(--f)',adjoint:'var(--a)',tangent:'var(--t)'}[D.places[p].phase];
const link=(e,p)=>{if(p>=0)e.setAttribute('data-at',at(p));return e};
const short=f=>f.split('/').pop();
const place=p=>p<0?'':short(D.places[p].file)+':'+D.places[p].line+(D.places[p].cell?'  '+D.places[p].cell:'');
const put=(id,title,...inner)=>document.getElementById(id).append(make('h2',{},title),...inner);
const number=n=>Math.round(n).toLocaleString('en');

let marked='';
const mark=from=>{for(const o of document.querySelectorAll('[data-at]'))
o.classList.toggle('on',o.getAttribute('data-at')===marked);
for(const box of document.querySelectorAll('.code')){const first=box.querySelector('.on');
if(first&&!box.contains(from))box.scrollTop=first.offsetTop-box.offsetTop-60}};
document.addEventListener('click',event=>{const e=event.target.closest('[data-at]');if(!e)return;
const key=e.getAttribute('data-at');marked=marked===key?'':key;mark(e)});

{ // the source, and a stage beside it
const used=new Set(D.places.map(p=>p.file+':'+p.line));
const left=make('div',{class:'code'});
for(const file in D.sources){left.append(make('div',{},make('b',{},file)));
const lines=D.sources[file].split('\n');const mine=lines.map((_,i)=>used.has(file+':'+(i+1)));
let gap=false;lines.forEach((line,i)=>{if(!mine.slice(Math.max(0,i-6),i+7).some(x=>x)){gap=true;return}
if(gap)left.append(make('div',{},'   \u22ee'));gap=false;
const row=make('div',{},make('span',{class:'n'},i+1),line);if(mine[i])row.setAttribute('data-at',file+':'+(i+1));
left.append(row)})}
const right=make('div',{class:'code',id:'stage'}),bar=make('nav',{'aria-label':'stages'});
const show=k=>{right.replaceChildren(...D.stages[k].lines.map(([text,p])=>link(make('div',{class:phase(p)},text||' '),p)));
[...bar.children].forEach((b,i)=>b.setAttribute('aria-pressed',i===k));mark(left)};
D.stages.forEach((s,k)=>{const b=make('button',{},s.name);b.onclick=()=>show(k);bar.append(b)});
show(Math.min(1,D.stages.length-1));put('source','Source and stages',bar,make('div',{class:'two'},left,right))}

{ // forward beside adjoint
const stage=D.stages.find(s=>s.name==='differentiated'),rows=new Map();let open=false;
for(const [text,p] of stage?stage.lines:[]){if(/^ {2}func\.func/.test(text))open=!/func\.func private/.test(text);
if(!open||p<0)continue;
const key=at(p);if(!rows.has(key))rows.set(key,{p,forward:[],adjoint:[],tangent:[]});rows.get(key)[phase(p)].push(text.trim())}
const slopes=r=>[...r.adjoint,...r.tangent];const both=[...rows.values()].some(r=>slopes(r).length);
const heads=['line','forward',...both?['derivative']:[]];
const table=make('table',{},make('tr',{},...heads.map(h=>make('th',{},h))));
const cell=(kind,lines)=>lines.length?make('td',{class:kind},make('code',{},lines.join('\n'))):make('td');
for(const r of [...rows.values()].sort((a,b)=>at(a.p).localeCompare(at(b.p),'en',{numeric:true}))){const q=D.places[r.p];
const line=((D.sources[q.file]||'').split('\n')[q.line-1]||'').trim();
table.append(link(make('tr',{},make('td',{},make('code',{},short(q.file)+':'+q.line+'\n'+line)),
cell('forward',r.forward),...both?[cell(r.adjoint.length?'adjoint':'tangent',slopes(r))]:[]),r.p))}
if(rows.size)put('beside',both?'Forward beside its derivative':'Operations of each line',make('div',{class:'wide'},table))}

for(const g of D.graphs){ // ops as nodes, arguments above
const depth=[],slots=[];const W=150,H=64;
g.nodes.forEach((n,i)=>{depth[i]=n.of.length?1+Math.max(...n.of.map(j=>depth[j])):0;(slots[depth[i]]??=[]).push(i)});
const xy=[];slots.forEach((layer,d)=>layer.forEach((i,k)=>xy[i]=[(k+.5)*W+10,d*H+34]));
const width=Math.max(...slots.map(l=>l.length))*W+20,height=slots.length*H+20;
const svg=draw('svg',{width,height,viewBox:`0 0 ${width} ${height}`,role:'img','aria-label':'graph of @'+g.name});
g.nodes.forEach((n,i)=>n.of.forEach(j=>{const [x,y]=xy[i],[a,b]=xy[j];svg.append(draw('path',{fill:'none',stroke:colour(n.place),
'stroke-opacity':.55,d:`M${a} ${b+16}C${a} ${b+36} ${x} ${y-36} ${x} ${y-16}`}))}));
g.nodes.forEach((n,i)=>{const [x,y]=xy[i];const e=draw('g',{},draw('title',{},n.op+'  '+n.type+'  '+place(n.place)),
draw('rect',{x:x-66,y:y-16,width:132,height:32,rx:6,fill:'var(--paper)',stroke:colour(n.place)}),
draw('text',{x,y:y-2,'text-anchor':'middle','font-weight':600},n.op),
draw('text',{x,y:y+11,'text-anchor':'middle',opacity:.7},n.type.replace(/^tensor/,'').slice(0,22)));
svg.append(link(e,n.place))});
const more=g.count>g.nodes.length?`, the first ${g.nodes.length} of ${g.count} ops`:'';
put('graph','Graph of @'+g.name+more,make('div',{class:'wide',style:'max-height:70vh'},svg))}

{ // kernels
const head=['runs','bytes','operations','estimated \u00b5s','kernel','line'];
const table=make('table',{},make('tr',{},...head.map((h,i)=>make('th',{class:i<4?'r':''},h))));
for(const k of D.kernels)table.append(link(make('tr',{},...[number(k.runs),number(k.bytes),number(k.flops),
(k.nanoseconds/1e3).toFixed(1)].map(t=>make('td',{class:'r'},t)),make('td',{class:phase(k.place)},' '+k.what),
make('td',{},place(k.place))),k.place));
if(D.kernels.length)put('kernels','Kernels',make('p',{},'Bytes through memory and operations follow from shapes; the time is an '+
'estimate for one core.'),make('div',{class:'wide'},table));
if(D.times){const timed=make('table',{},make('tr',{},...['ms','runs','\u00b5s/run','GFLOP/s','GB/s','kernel','line'].map((h,i)=>
make('th',{class:i<5?'r':''},h))));
for(const k of D.times)timed.append(make('tr',{'data-at':k.file+':'+k.line},...[(k.nanoseconds/1e6).toFixed(3),number(k.runs),
(k.nanoseconds/1e3/k.runs).toFixed(2),(k.operations*k.runs/k.nanoseconds).toFixed(2),(k.bytes*k.runs/k.nanoseconds).toFixed(2)].map(t=>
make('td',{class:'r'},t)),make('td',{class:k.phase},' '+k.kernel+'  '+k.ops.join(', ')),make('td',{},short(k.file)+':'+k.line)));
put('kernels','Measured',make('div',{class:'wide'},timed))}}

for(const m of D.memory){ // each temporary from its first use to its last, at its place
if(!m.buffers.length)continue;const W=960,H=260;
const end=Math.max(...m.buffers.map(b=>b.last))+1,top=Math.max(...m.buffers.map(b=>b.offset+b.bytes));
const svg=draw('svg',{width:W+20,height:H+40,viewBox:`0 0 ${W+20} ${H+40}`,role:'img','aria-label':'memory of @'+m.name});
for(const b of m.buffers){const e=draw('g',{},draw('title',{},`${number(b.bytes)} bytes  ${b.type}  ${place(b.place)}`),
draw('rect',{x:10+b.first/end*W,y:10+H-(b.offset+b.bytes)/top*H,width:Math.max(1,(b.last+1-b.first)/end*W),
height:Math.max(1,b.bytes/top*H),fill:colour(b.place),'fill-opacity':.55,stroke:'var(--paper)'}));svg.append(link(e,b.place))}
svg.append(draw('text',{x:10,y:H+30},'begin of the call'),draw('text',{x:W+10,y:H+30,'text-anchor':'end'},'end'));
put('memory','Temporaries of @'+m.name,make('p',{},`${number(top)} bytes of arena, of which ${number(m.peak)} are needed at the `+
'same time. Each bar is a temporary: its time in the program from left to right, its place in the arena from below.'),
make('div',{class:'wide'},svg))}
</script></body></html>
)html";

} // namespace cellgrad

#endif
