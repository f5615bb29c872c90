package ecma
import ("testing";"time";"fmt";"regexp";"strings")
func TestZZ(t *testing.T){
 for _, p := range []string{`\p{L}1`,`(a|b)*a(a|b){9}1`,`^a1$`,`a{300}b?1`,`[\p{L}\p{N}]+x1`, `^[^@\s]+@[^@\s]+\.[^@\s]+$`, strings.Repeat(`\p{L}`,100), strings.Repeat(`a`,1000), strings.Repeat(`[a-c]`,10000), `^(?:read_file|write_file|list_dir|delete_all)$`,`^\d{4}-\d{2}-\d{2}$`, `(?:x?\p{L}){90}`,strings.Repeat("(a|b)*a(a|b){5}|",600)} {
  now:=time.Now(); const K=10
  for range K { _,_=parse(p)}; tp:=time.Since(now)/K
  n,_:=parse(p)
  now=time.Now(); for range K { shapeOf(n)}; ts:=time.Since(now)/K
  size,ok:=n.program()
  pr := &program{insts: []inst{{op: opEmpty}}}
  work:=0; insts:=0
  var a *automaton
  now=time.Now(); for range K { a=compileAutomaton(n)}; ta:=time.Since(now)/K
  if ok && size<=maxProgram { st:=pr.compile(n,matched); insts=len(pr.insts); if insts<=maxInsts { pr.seen=make([]int,insts); pr.determine(st); work=pr.work }}
  now=time.Now(); for range K { compileRE2(n)}; tr:=time.Since(now)/K
  now=time.Now(); for range K { compileBacktrack(n)}; tb:=time.Since(now)/K
  pp:=p; if len(pp)>30 {pp=pp[:30]}
  fmt.Printf("%-30s parse %v shape %v auto %v (%v work %d insts %d) re2 %v size %d %v back %v spans %d\n",pp,tp,ts,ta,a!=nil,work,insts,tr,size,ok,tb,n.spans())
 }
 now:=time.Now(); for range 100 {regexp.MustCompile(`\p{L}1`)}; fmt.Println(time.Since(now)/100)
}
